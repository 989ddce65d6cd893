import { UnexpectedReply } from '../client/replies.ts'

// Answers of the REST interface, whose strings are in base64.

/** `{ "result": … }` or `{ "error": "…" }`. */
export function isResult(said: unknown): boolean {
  return isRefusal(said) || (typeof said === 'object' && said !== null && 'result' in said)
}

/** A refusal of one command, or of the whole request. */
export function isRefusal(said: unknown): said is { readonly error: string } {
  const { error } = Object(said) as { readonly error?: unknown }
  return typeof error === 'string' && error !== ''
}

/** The reply of a command; an error if the server refused it, or its reply cannot be read. */
export function replyOf(said: unknown): unknown {
  if (isRefusal(said)) return replyError(said.error)
  try {
    return replyIn((said as { readonly result: unknown }).result)
  } catch (error) {
    return error
  }
}

/** A refusal as drivers tell it. */
export function replyError(message: string): Error {
  const error = new Error(message)
  error.name = 'ReplyError'
  return error
}

/** A reply as the drivers have it: strings as bytes. Only `OK` may come as it is. */
function replyIn(result: unknown): unknown {
  if (result === null || typeof result === 'number') return result
  if (Array.isArray(result)) return result.map(replyIn)
  if (typeof result !== 'string') throw new UnexpectedReply('a reply of Redis', result)
  if (result === 'OK') return Buffer.from(result)
  const bytes = Buffer.from(result, 'base64')
  if (bytes.toString('base64') !== result) throw new UnexpectedReply('base64', result)
  return bytes
}
