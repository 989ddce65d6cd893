import type { IncomingMessage, ServerResponse } from 'node:http'
import { clearTimeout, setTimeout } from '@unikv/core/platform'

/** So many bytes more give a body its time once more. */
const progressBytes = 1_048_576

/**
 * End a request whose body takes longer to arrive than this, in milliseconds. One that goes on arriving has this time for each further MiB, so
 * that long values may take longer than short ones. Node's own limit knows only the request as a whole.
 */
export function limitBody(request: IncomingMessage, response: ServerResponse, timeoutMs: number): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (length === '0' && encoding === undefined) return
  const { socket } = request
  let [timer, seen] = [undefined as ReturnType<typeof setTimeout> | undefined, socket.bytesRead]
  const look = (): void => {
    if (request.complete || socket.destroyed) return
    if (socket.bytesRead - seen < progressBytes) return end(request, response)
    seen = socket.bytesRead
    timer = setTimeout(look, timeoutMs).unref()
  }
  timer = setTimeout(look, timeoutMs).unref()
  request.once('close', () => clearTimeout(timer))
}

/** As Node.js ends a request that is late. */
function end({ socket }: IncomingMessage, { headersSent }: ServerResponse): void {
  if (!headersSent && socket.writable)
    socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
  socket.destroySoon()
}
