import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import {
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
  StoreError,
} from '@unikv/core'
import type { Requests } from './client/requests.ts'
import { notS3 } from './errors.ts'
import { decodeName, encodeName, justBefore } from './object-name.ts'
import { headBytes, mayExpire } from './object-record.ts'
import { type OnExpired, readAll } from './read.ts'

/** Most names that one list holds. */
const mostNames = 1_000

/** An object in a list. */
interface Listed {
  readonly key: string
  readonly mayExpire: boolean
}

/** Pages in the order of names, which is that of keys. A page goes on after the last name of the one before it. */
export async function* scanPages(
  requests: Requests,
  range: ScanRange,
  call: CallOptions,
  onExpired: OnExpired,
): AsyncGenerator<Page<Bytes>> {
  const end = range.lt === undefined ? undefined : requests.prefix + encodeName(range.lt)
  let after = startOf(requests.prefix, range)
  while (true) {
    const { names, isLast } = await list(requests, range, after, call)
    const within = end === undefined ? names : names.filter(([name]) => name < end)
    const entries = await entriesOf(requests, within, range, call, onExpired)
    const last = names.at(-1)?.[0]
    if (last === undefined && !isLast) throw standsStill()
    if (after !== undefined && names.some(([name]) => name <= (after as string))) throw standsStill()
    if (isLast || last === undefined || within.length < names.length) {
      yield { entries }
      return
    }
    after = last
    yield { entries, resume: last.slice(requests.prefix.length) }
  }
}

function startOf(prefix: string, { resume, gte }: ScanRange): string | undefined {
  const first = gte === undefined ? undefined : justBefore(prefix + encodeName(gte))
  const left = resume === undefined ? undefined : prefix + resume
  if (first === undefined || left === undefined) return left ?? first
  return first > left ? first : left
}

/** Names and sizes of a page. */
async function list(
  requests: Requests,
  range: ScanRange,
  after: string | undefined,
  call: CallOptions,
): Promise<{ readonly names: readonly (readonly [string, number])[]; readonly isLast: boolean }> {
  const { driver, bucket, prefix } = requests
  const command = new driver.ListObjectsV2Command({
    Bucket: bucket,
    Prefix: prefix + encodeName(range.prefix),
    MaxKeys: Math.min(range.pageSize, mostNames),
    ...(after === undefined ? {} : { StartAfter: after }),
  })
  const answer = await requests.read(call, command, (output: ListObjectsV2CommandOutput) =>
    Promise.resolve(output),
  )
  // No condition was set and no object named: S3 does not refuse this. An empty page would say that there is nothing.
  if (answer.refused !== undefined)
    throw new StoreError('UNAVAILABLE', `S3 did not list the bucket ${bucket} (${answer.refused}).`)
  const { Contents = [], IsTruncated = false } = answer.output
  if (!isList(answer.output) || Contents.some(({ Key = '' }) => !Key.startsWith(prefix))) throw notS3(false)
  return { names: Contents.map(({ Key = '', Size = 0 }) => [Key, Size] as const), isLast: !IsTruncated }
}

/** An answer without any of these is not a list, but would read as an empty one. */
function isList({ Name, KeyCount, MaxKeys, IsTruncated, Contents }: ListObjectsV2CommandOutput): boolean {
  return [Name, KeyCount, MaxKeys, IsTruncated, Contents].some((part) => part !== undefined)
}

function standsStill(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The S3 listing does not advance. Check the endpoint and any proxy in front of it.',
  )
}

/** The live records among objects: those that cannot expire need not be asked for, unless their values are wanted. */
async function entriesOf(
  requests: Requests,
  names: readonly (readonly [string, number])[],
  { values }: ScanRange,
  call: CallOptions,
  onExpired: OnExpired,
): Promise<readonly ScanEntry<Bytes>[]> {
  const listed = names.flatMap(([name, size]) => listedOf(name.slice(requests.prefix.length), size))
  const asked = listed.filter((one) => values || one.mayExpire)
  const reads = asked.map(({ key }) => ({ key, head: !values }))
  const results = await readAll(requests, reads, call, onExpired)
  const found = new Map(asked.map(({ key }, i) => [key, results[i]]))
  return listed.flatMap(({ key }): readonly ScanEntry<Bytes>[] => {
    if (!found.has(key)) return [{ key }]
    const entry = found.get(key)
    if (entry === undefined) return []
    return [isEntry(entry) || isStoreError(entry) ? { key, entry } : { key }]
  })
}

/** An object whose name or size is not of a record is not ours. */
function listedOf(name: string, size: number): readonly Listed[] {
  const key = decodeName(name)
  return key === undefined || size < headBytes ? [] : [{ key, mayExpire: mayExpire(size) }]
}
