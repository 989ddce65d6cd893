import type { BatchGetItemCommandOutput, GetItemCommandOutput } from '@aws-sdk/client-dynamodb'
import { type CallOptions, isStoreError, type Read, type ReadResult, StoreError } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import { mostReads } from './capabilities.ts'
import { given } from './client/answers.ts'
import { backoff } from './client/backoff.ts'
import type { Requests } from './client/requests.ts'
import { canonicalKeyOf, entryOf, headOf, type Item, isExpired, keyOf } from './item.ts'
import type { ValueForm } from './value-form.ts'

/** The result for a key: an item, nothing, or why that is not known. */
type Fetched = Item | StoreError | undefined

/** All that is known of an item but its value: short, as it is sent each time. None of the words is reserved. */
const headOnly = 'version,expires_at'

/** The answer for each key; rejects only if none could be asked for. */
export async function readAll<V>(
  requests: Requests,
  form: ValueForm<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const whole = reads.filter((read) => !wantsHead(read))
  const heads = reads.filter(wantsHead)
  const [items, found] = await Promise.all([
    fetchAll(requests, keysOf(whole), undefined, call),
    fetchAll(requests, keysOf(heads), headOnly, call),
  ])
  const now = requests.clock()
  const changed = heads.filter((read) => isChanged(read, found.get(read.key), now))
  const fresh = await fetchAll(requests, keysOf(changed), undefined, call)
  return reads.map((read) => {
    const { key } = read
    if (fresh.has(key)) return resultOf(fresh.get(key), form, requests.clock())
    return found.has(key) ? notModified(found.get(key), now) : resultOf(items.get(key), form, now)
  })
}

function wantsHead({ head, ifNotVersion }: Read): boolean {
  return head === true || ifNotVersion !== undefined
}

function keysOf(reads: readonly Read[]): readonly string[] {
  return reads.map(({ key }) => key)
}

/** Whether there is another version than the one that the reader has. */
function isChanged({ head, ifNotVersion }: Read, item: Fetched, now: number): boolean {
  if (head === true || item === undefined || isStoreError(item)) return false
  try {
    const found = headOf(item)
    return found.version !== ifNotVersion && !isExpired(found, now)
  } catch {
    return false
  }
}

function notModified(item: Fetched, now: number): ReadResult<never> {
  if (item === undefined || isStoreError(item)) return item
  try {
    const head = headOf(item)
    return isExpired(head, now) ? undefined : { notModified: true, ...head }
  } catch (error) {
    return error as StoreError
  }
}

function resultOf<V>(item: Fetched, form: ValueForm<V>, now: number): ReadResult<V> {
  if (item === undefined || isStoreError(item)) return item
  try {
    return isExpired(headOf(item), now) ? undefined : entryOf(item, form)
  } catch (error) {
    return error as StoreError
  }
}

/** The item of each key. Never rejects. */
async function fetchAll(
  requests: Requests,
  keys: readonly string[],
  projection: string | undefined,
  call: CallOptions,
): Promise<ReadonlyMap<string, Fetched>> {
  const parts = partsOf(keys, mostReads)
  const fetched = await inParallel(parts, requests.width, (part) => fetch(requests, part, projection, call))
  return new Map(fetched.flatMap((one) => [...one]))
}

async function fetch(
  requests: Requests,
  keys: readonly string[],
  projection: string | undefined,
  call: CallOptions,
): Promise<ReadonlyMap<string, Fetched>> {
  const found = new Map<string, Fetched>(keys.map((key) => [key, undefined]))
  let left = keys
  try {
    for (let round = 0; left.length > 0; round++) {
      if (round > 0 && !(await backoff(round, call))) throw unanswered()
      const { items, unprocessed } = await fetchOnce(requests, left, projection, call)
      for (const [key, item] of items) found.set(key, item)
      left = unprocessed
    }
  } catch (error) {
    for (const key of left) found.set(key, error as StoreError)
  }
  return found
}

interface Batch {
  /** Items found, by key. */
  readonly items: readonly (readonly [key: string, Item])[]
  /** Keys that DynamoDB had no room for. */
  readonly unprocessed: readonly string[]
}

async function fetchOnce(
  requests: Requests,
  keys: readonly string[],
  projection: string | undefined,
  call: CallOptions,
): Promise<Batch> {
  const { driver, table } = requests
  const ConsistentRead = call.consistency !== 'eventual'
  const [only] = keys as readonly [string]
  if (keys.length === 1) {
    const command = new driver.GetItemCommand({
      TableName: table,
      Key: keyOf(only),
      ConsistentRead,
      ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    })
    const { Item: item } = await requests.send<GetItemCommandOutput>(call, false, command)
    return { items: item === undefined ? [] : [[only, item]], unprocessed: [] }
  }
  const asked = {
    Keys: keys.map(keyOf),
    ConsistentRead,
    ...(projection === undefined ? {} : { ProjectionExpression: `k,${projection}` }),
  }
  const command = new driver.BatchGetItemCommand({ RequestItems: { [table]: asked } })
  const { Responses, UnprocessedKeys } = await requests.send<BatchGetItemCommandOutput>(call, false, command)
  const [found, left] = [given(Responses, false), given(UnprocessedKeys, false)]
  const unprocessed = Object.values(left).flatMap(({ Keys = [] }) => Keys)
  return {
    items: Object.values(found)
      .flat()
      .map((item) => [canonicalKeyOf(item) as string, item]),
    unprocessed: unprocessed.map((key) => canonicalKeyOf(key) as string),
  }
}

/** Parts of at most so many. */
export function partsOf<T>(all: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / most)
  return Array.from({ length: count }, (_, i) => all.slice(i * most, (i + 1) * most))
}

function unanswered(): StoreError {
  return new StoreError('OVERLOADED', 'DynamoDB had no capacity for this item before the deadline.')
}
