/** RC4, which OpenSSL 3 no longer offers: the bytes with the key's stream laid over them; the same call encrypts and decrypts. */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let i = 0, j = 0; i < 256; i++) {
    const held = state[i] ?? 0;
    j = (j + held + (key[i % key.length] ?? 0)) & 255;
    state[i] = state[j] ?? 0;
    state[j] = held;
  }
  const result = new Uint8Array(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at++) {
    i = (i + 1) & 255;
    const one = state[i] ?? 0;
    j = (j + one) & 255;
    const two = state[j] ?? 0;
    state[i] = two;
    state[j] = one;
    result[at] = (data[at] ?? 0) ^ (state[(one + two) & 255] ?? 0);
  }
  return result;
}
