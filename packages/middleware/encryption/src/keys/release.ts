import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Bytes } from '@unikv/core'

/** Below this, giving memory back costs more than it saves. */
const leastBytes = 131_072

let closed: MessagePort | undefined

/**
 * Give the memory of bytes that are not needed any more back now, not with the next garbage: the next allocation is
 * then in the processor's cache. They have no length afterwards. Small ones, and views of more, stay as they are.
 */
export function release({ buffer, length }: Bytes): void {
  if (length < leastBytes || buffer.byteLength !== length) return
  // a port that is closed takes memory over and keeps nothing; Node.js 20 has no ArrayBuffer.prototype.transfer
  closed ??= closedPort()
  closed.postMessage(undefined, [buffer as ArrayBuffer])
}

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel()
  port1.close()
  return port1
}
