import type { IncomingMessage } from 'node:http'

/** An answer in the form in which the AWS SDK takes it. */
export interface HttpResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: IncomingMessage
}

/** The head of an answer; its body is still to be read. */
export function responseOf(incoming: IncomingMessage): HttpResponse {
  return { statusCode: incoming.statusCode ?? 0, headers: headersOf(incoming), body: incoming }
}

/** Only cookies come as a list. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const { 'set-cookie': cookies } = headers
  const whole = cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }
  return whole as Readonly<Record<string, string>>
}

/** The whole body of an answer. (As an asynchronous iterator it would cost as much as the rest of the request.) */
export function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
      .once('error', reject)
      .once('close', () => {
        // It comes after the end, too, and an error costs as much as all else here.
        if (!incoming.readableEnded) reject(cutShort())
      })
  })
}

function cutShort(): Error {
  return new Error('The connection was closed before the whole response arrived.')
}
