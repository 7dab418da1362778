import type { MilvusClient } from "@zilliz/milvus2-sdk-node";

/** The parts of a gRPC call through which messages pass. */
interface Call {
  start(metadata: unknown, listener: Listener): void;
  sendMessage(message: object): void;
}

interface Listener {
  onReceiveMetadata(metadata: unknown): void;
  onReceiveMessage(message: object | null): void;
  onReceiveStatus(status: unknown): void;
}

type Interceptor = (options: unknown, next: (options: unknown) => Call) => Call;

/**
 * The SDK makes a JSON text of every request and response for a debug log, whether or not anybody reads it:
 * vectors and pages included, a third of the processor time of an evaluation. While a message passes the step
 * that does so, the last of the SDK's interceptors, it is nothing to JSON.
 */
export function omitLogTexts({ channelOptions }: MilvusClient): void {
  // The SDK keeps its interceptors under this key, and its channels hold the list that is changed here.
  const { interceptors } = channelOptions as { readonly interceptors?: Interceptor[] };
  interceptors?.unshift(interceptor(hide, show));
  interceptors?.push(interceptor(show, hide));
}

const interceptor =
  (request: (message: object) => void, response: (message: object) => void): Interceptor =>
  (options, next) => {
    const call = next(options);
    const [start, send] = [call.start.bind(call), call.sendMessage.bind(call)];
    call.sendMessage = (message) => {
      request(message);
      send(message);
    };
    call.start = (metadata, listener) =>
      start(metadata, {
        onReceiveMetadata: (received) => listener.onReceiveMetadata(received),
        onReceiveMessage(message) {
          if (message !== null) response(message);
          listener.onReceiveMessage(message);
        },
        onReceiveStatus: (status) => listener.onReceiveStatus(status),
      });
    return call;
  };

const hide = (message: object): void => {
  Object.defineProperty(message, "toJSON", { value: () => "not shown", configurable: true });
};

const show = (message: object): void => {
  Reflect.deleteProperty(message, "toJSON");
};
