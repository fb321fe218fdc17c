import type { Socket } from 'node:net';

/** Sends together what is written before Node returns to its event loop: a system call costs more than a statement's bytes. */
export function coalescing(socket: Socket): Socket {
  // Connecting replaces `write`.
  return socket.once('connect', () => {
    const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
    let isWaiting = false;
    socket.write = (...parts: unknown[]) => {
      if (!isWaiting) {
        isWaiting = true;
        socket.cork();
        process.nextTick(() => {
          isWaiting = false;
          socket.uncork();
        });
      }
      return write(...parts);
    };
  });
}
