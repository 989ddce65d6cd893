import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import { clearedPrefixes } from '@unikv/core/adapter'
import { jsonOf } from '@unikv/core/http-client'
import { mostListed, names, tagOf } from '../protocol/headers.ts'
import { readResultIn, timeIn, versionIn } from '../protocol/wire.ts'
import type { Answer, Client } from './client.ts'
import { noStore } from './errors.ts'
import { batch, fitsPath, pathOf, understood } from './paths.ts'

/** The verb `read`. */
export async function read(
  client: Client,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<Bytes>[]> {
  const only = reads[0]
  if (reads.length === 1 && only !== undefined && fitsPath(only.key))
    return [await readOne(client, only, call)]
  const items = reads.map(({ key, ifNotVersion, head }) => ({ canonical: key, ifNotVersion, head }))
  const results = await batch(client, 'reads', items, call)
  const found = understood(client, false, reads.length, results, readResultIn)
  if (reads.length === 1) return found
  return Promise.all(found.map((result, i) => whole(client, reads[i] as Read, call, result)))
}

/** The answer of a server holds so many bytes: what is beyond is asked for apart. */
async function whole(
  client: Client,
  asked: Read,
  call: CallOptions,
  result: ReadResult<Bytes>,
): Promise<ReadResult<Bytes>> {
  if (!isStoreError(result) || result.code !== 'VALUE_TOO_LARGE') return result
  return (await read(client, [asked], call))[0]
}

async function readOne(
  client: Client,
  { key, head, ifNotVersion }: Read,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  const headers = { 'if-none-match': ifNotVersion === undefined ? undefined : tagOf(ifNotVersion) }
  const method = head === true ? 'HEAD' : 'GET'
  const answer = await client.ask({ method, path: pathOf(key, call), headers }, call, false)
  const { status, body } = answer
  if (status === 404) return absent(client, answer, head === true)
  const known = versionOf(client, answer, false)
  const isKnown = status === 304 && ifNotVersion !== undefined
  if (isKnown || (status === 200 && head === true)) return { notModified: true, ...known }
  if (status !== 200 || answer.headers.get(names.length) !== String(body.length)) throw client.odd(false)
  return { value: body, ...known }
}

/** 404 is also the answer of a server without this store; that of `HEAD` has no body. */
function absent(client: Client, { body }: Answer, isHead: boolean): undefined {
  const { detail } = Object(jsonOf(body)) as { readonly detail?: unknown }
  if (body.length === 0 && !isHead) throw client.odd(false)
  if (isHead || String(detail).startsWith('There is no record')) return undefined
  throw noStore(client.where)
}

/** Version and expiry of an answer. */
export function versionOf(
  client: Client,
  { headers }: Answer,
  isWrite: boolean,
): { version: string | undefined; expiresAt: number | undefined } {
  const expiresAt = headers.get(names.expiresAt)
  try {
    return {
      version: versionIn(headers.get(names.version) ?? undefined),
      expiresAt: timeIn(expiresAt === null ? undefined : Number(expiresAt)),
    }
  } catch {
    throw client.odd(isWrite)
  }
}

/** The verb `scan`: a page with each request, so that a listing goes on in another process. */
export async function* scan(
  client: Client,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  let { resume } = range
  do {
    const answer = await client.ask(
      { method: 'GET', path: `/records?${queryOf(range, resume, call).toString()}` },
      call,
      false,
    )
    const { items, cursor } = Object(jsonOf(answer.body)) as {
      readonly items?: unknown
      readonly cursor?: unknown
    }
    if (!Array.isArray(items) || !(cursor === undefined || typeof cursor === 'string'))
      throw client.odd(false)
    resume = cursor
    const entries = items.map((item) => entryIn(client, item, range.values))
    yield { entries: await Promise.all(entries.map((found) => wholeEntry(client, found, call))), resume }
  } while (resume !== undefined)
}

/** A record of a listing. */
export function entryIn(client: Client, item: unknown, values: boolean): ScanEntry<Bytes> {
  const { key, ...found } = Object(item) as { readonly key?: unknown }
  if (typeof key !== 'string') throw client.odd(false)
  if (!values) return { key }
  const [entry] = understood(client, false, 1, [found], readResultIn)
  return { key, entry: entry as ScanEntry<Bytes>['entry'] }
}

async function wholeEntry(
  client: Client,
  { key, entry }: ScanEntry<Bytes>,
  call: CallOptions,
): Promise<ScanEntry<Bytes>> {
  if (!isStoreError(entry)) return { key, entry }
  return { key, entry: (await whole(client, { key }, call, entry)) as ScanEntry<Bytes>['entry'] }
}

function queryOf(
  range: ScanRange,
  resume: string | undefined,
  { consistency }: CallOptions,
): URLSearchParams {
  const { prefix, gte, lt, reverse, pageSize, values, facts } = range
  const clears = clearedPrefixes.of(facts)
  const given = {
    canonical: 'true',
    bytes: 'true',
    prefix,
    gte,
    lt,
    reverse: reverse === true ? 'true' : undefined,
    limit: String(Math.min(pageSize, mostListed)),
    values: String(values),
    clears: clears === undefined ? undefined : JSON.stringify(clears),
    cursor: resume,
    consistency,
  }
  return new URLSearchParams(
    Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined),
  )
}
