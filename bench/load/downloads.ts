/**
 * Downloads one after the other on a few connections at once; each is over when it has shown
 * `marks` objects and, after the last of them, `ending`.
 *
 * Connections are not reused: a streaming list has no other end than the client's. Nothing is
 * parsed or kept; bytes are counted as they come off the socket, framing included.
 */
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { getRequest, MARK } from './objects.ts';

const READ_BUFFER_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES + 1);
const window = buffer.subarray(0, READ_BUFFER_BYTES);

/** Between two chunks: an ending may lie in both. */
const framing = /\r\n[0-9a-f]+\r\n/g;

export interface DownloadPlan {
  readonly port: number;
  readonly path: string;
  readonly marks: number;
  /** Text that stands once behind the last object. */
  readonly ending: string;
  /** Over TLS, by the caller with this token. */
  readonly token?: string | undefined;
}

/** Bytes of one download. */
function download({ port, path, marks, ending, token }: DownloadPlan): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let seen = 0;
    let over = false;
    /** All that came behind the last object. */
    let rest = '';
    const callback = (nread: number): boolean => {
      bytes += nread;
      buffer[nread] = MARK;
      let last = 0;
      for (let at = buffer.indexOf(MARK); at < nread; at = buffer.indexOf(MARK, at + 1)) {
        seen += 1;
        last = at;
      }
      if (seen < marks) return true;
      rest += buffer.toString('latin1', last, nread);
      if (!rest.replaceAll(framing, '').includes(ending)) return true;
      over = true;
      socket.destroy();
      resolve(bytes);
      return true;
    };
    const to = { host: '127.0.0.1', port, onread: { buffer: window, callback } };
    const secure = token !== undefined;
    const socket = secure ? tls.connect({ ...to, rejectUnauthorized: false }) : net.connect(to);
    socket.on(secure ? 'secureConnect' : 'connect', () => {
      socket.write(getRequest(path, token));
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (!over) reject(new Error(`${path} ended after ${seen} of ${marks} objects`));
    });
  });
}

/** `count` downloads, `parallel` at a time. Total bytes. */
export async function downloadMany(
  plan: DownloadPlan,
  count: number,
  parallel: number,
): Promise<number> {
  let started = 0;
  let bytes = 0;
  const lane = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      bytes += await download(plan);
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return bytes;
}

/** One download in this encoding, over a connection of its own; bytes of its body. */
export function downloadWhole(port: number, path: string, accept: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent: false, headers: { accept } };
    const request = http.get(options, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    request.on('error', reject);
  });
}

/** The body of one download, without framing: what a floor is to copy. */
export function capture({ port, path, ending }: DownloadPlan): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const request = http.get(
      { host: '127.0.0.1', port, path, agent: false, headers: { accept: 'application/json' } },
      (response) => {
        const over = (): void => {
          resolve(Buffer.concat(chunks));
          request.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // Behind the end of a stream, which does not end by itself.
          if (chunk.includes(ending) && chunk.at(-1) === NEWLINE) over();
        });
        response.on('end', over);
      },
    );
    request.on('error', reject);
  });
}
