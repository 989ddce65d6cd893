import { mostItems } from '../protocol/headers.ts'
import { Refused } from '../server/refused.ts'
import { type Asked, bodyIn, demandType } from '../server/request.ts'
import { type Argument, CommandError } from './arguments.ts'

/** Words of one command, at most: as many keys as a batch has, with their values. */
const mostArguments = 2 * mostItems + 1

/** The request with the token of its query as a header, as bearers send it. */
export function signed(request: Request): Request {
  const token = new URL(request.url).searchParams.get('_token')
  if (token === null || request.headers.has('authorization')) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  return new Request(request, { headers })
}

/**
 * The commands of a request: one, or several for `/pipeline` and `/multi-exec`. A page of another site could send any path and any
 * simple body; so a request that may be of one (`isOwn` is false) may read, and change by bodies of JSON alone.
 */
export async function commandsIn(
  asked: Asked,
  path: readonly string[],
  isOwn: boolean,
): Promise<readonly (readonly Argument[])[]> {
  const { request } = asked
  if (path.length > 0 && !isSeveral(path)) return [await commandInPath(asked, path)]
  if (request.method !== 'POST' && request.method !== 'PUT') throw new CommandError('ERR empty command')
  if (!isOwn) demandType(request, 'application/json')
  const body = await jsonIn(asked)
  return isSeveral(path) ? listsIn(body) : [argumentsIn(body)]
}

/** Whether this is the path of several commands. */
export function isSeveral(path: readonly string[]): boolean {
  return path.length === 1 && (path[0] === 'pipeline' || path[0] === 'multi-exec')
}

/** Whether a request has a header that no page of another site can send: a browser itself sends names and passwords of URLs. */
export function isSigned({ headers }: Request): boolean {
  return /^bearer /i.test(headers.get('authorization') ?? '')
}

/** `SET/key` with the value as the body and `?EX=10` behind it, or `SET/key/value`. */
async function commandInPath(asked: Asked, path: readonly string[]): Promise<readonly Argument[]> {
  const { request, query } = asked
  const hasBody = request.method === 'POST' || request.method === 'PUT'
  const body = hasBody ? await bodyIn(asked) : new Uint8Array()
  const options = [...query].filter(([name]) => name !== '_token').flat()
  return [...path, ...(body.length === 0 ? [] : [body]), ...options.filter((option) => option !== '')]
}

async function jsonIn(asked: Asked): Promise<unknown> {
  const body = await bodyIn(asked)
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    throw new CommandError('ERR failed to parse command')
  }
}

function listsIn(body: unknown): readonly (readonly Argument[])[] {
  if (!Array.isArray(body) || body.length === 0) throw new CommandError('ERR empty pipeline request')
  if (body.length > mostItems) throw new CommandError(`ERR at most ${mostItems} commands at once`)
  return body.map(argumentsIn)
}

function argumentsIn(body: unknown): readonly Argument[] {
  if (!Array.isArray(body) || body.length === 0) throw new CommandError('ERR empty command')
  if (body.length > mostArguments) throw new CommandError(`ERR at most ${mostArguments} arguments`)
  return body.map((argument) => {
    if (typeof argument === 'string') return argument
    // JSON has lost digits of it already.
    if (Number.isInteger(argument) && !Number.isSafeInteger(argument))
      throw new CommandError('ERR send numbers beyond 2^53 as text')
    if (typeof argument === 'number' || typeof argument === 'boolean') return String(argument)
    throw new CommandError('ERR arguments must be text, numbers or booleans')
  })
}

/** The parts of a path, decoded. */
export function partsOf(path: string): readonly string[] {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
  } catch {
    throw new Refused(400, 'BAD_REQUEST', 'The path has a stray %. Write %25 for a percent sign.')
  }
}
