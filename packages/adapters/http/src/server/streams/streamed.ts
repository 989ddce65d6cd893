import type { NewChange, RecordStreams } from '@unikv/core/adapter'
import { names } from '../../protocol/headers.ts'
import { answerOf, boundsOf, headersOf, knownIn, rangeIn } from '../answers.ts'
import { Refused } from '../refused.ts'
import { type Asked, settingsOf } from '../request.ts'
import { arriving, leaving, tooLong } from './stalls.ts'

/** Bodies up to this are taken as one, in bytes: a stream costs more than their memory. */
const shortBytes = 1_048_576

/** Whether a body is long, or of unknown length. */
export function isLong({ headers, body }: Request): boolean {
  const told = headers.get('content-length')
  return body !== null && (told === null || Number(told) > shortBytes)
}

/** `GET` of a store that keeps values in parts: the answer takes them as its caller does. */
export async function readStreamed(
  asked: Asked,
  streams: RecordStreams,
  key: string,
  ifNotVersion: string | undefined,
): Promise<Response> {
  const { request, served, limits } = asked
  const range = rangeIn(request)
  const found = await streams.read(key, { ...settingsOf(asked), ...range, ifNotVersion })
  if (found === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const headers = headersOf(found)
  if ('notModified' in found) return new Response(null, { status: 304, headers })
  const { version, length, body } = found
  const known = knownIn(request)
  try {
    if (known === '*' || (version !== undefined && known.includes(version)))
      return new Response(await ended(body), { status: 304, headers })
    headers['content-type'] = served.contentType
    headers[names.length] = String(length)
    const { start, end } = range === undefined ? { start: 0, end: length } : boundsOf(range, length, headers)
    headers['content-length'] = String(end - start)
    const status = range === undefined ? 200 : 206
    return new Response(leaving(body, limits.stallTimeoutMs), { status, headers })
  } catch (error) {
    await ended(body)
    throw error
  }
}

async function ended(body: ReadableStream<Uint8Array>): Promise<null> {
  await body.cancel()
  return null
}

/** `PUT` to a store that keeps values in parts: the body goes there as it comes. */
export async function putStreamed(
  asked: Asked,
  streams: RecordStreams,
  { key, ...change }: NewChange,
): Promise<Response> {
  const { request, limits } = asked
  const told = Number(request.headers.get('content-length'))
  if (told > limits.maxStreamBytes) throw tooLong(limits.maxStreamBytes)
  const source = arriving(request.body as ReadableStream<Uint8Array>, limits)
  const version = await streams.write(key, source, { ...settingsOf(asked), ...change })
  return answerOf({ version }, { key, ...change })
}
