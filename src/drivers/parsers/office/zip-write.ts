import { crc32 } from "node:zlib";

/** A zip of the given parts, stored without packing: what a library is given to read after parts were changed or left out. */
export function storeZip(parts: ReadonlyMap<string, Uint8Array | string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const data = typeof content === "string" ? Buffer.from(content) : content;
    const fileName = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2); // names are UTF-8
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    locals.push(
      Buffer.from("PK\x03\x04", "latin1"),
      fields,
      fileName,
      Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    );
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, tail, fileName);
    offset += 30 + fileName.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.size, 8);
  end.writeUInt16LE(parts.size, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
