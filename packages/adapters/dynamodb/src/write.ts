import type { AttributeValue, BatchWriteItemCommandOutput, WriteRequest } from '@aws-sdk/client-dynamodb'
import {
  type CallOptions,
  type DeleteMutation,
  isStoreError,
  type SetMutation,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import { mostWrites } from './capabilities.ts'
import { changeOne } from './change-one.ts'
import { given } from './client/answers.ts'
import { backoff } from './client/backoff.ts'
import type { Requests } from './client/requests.ts'
import { canonicalKeyOf, itemOf, keyOf } from './item.ts'
import { partsOf } from './read.ts'
import type { Encoded, ValueAttribute } from './value-form.ts'

/** A mutation without a condition, which DynamoDB takes many of in one request. */
type Plain = SetMutation<AttributeValue> | DeleteMutation

/** The outcome of each mutation; rejects only if none could be attempted. */
export async function writeAll(
  requests: Requests,
  attribute: ValueAttribute,
  mutations: readonly Encoded[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  const plain = mutations.filter(isPlain)
  const together = plain.length > 1 ? writeTogether(requests, attribute, plain, call) : undefined
  return inParallel(mutations, requests.width, async (mutation): Promise<WriteResult> => {
    try {
      if (isStoreError(mutation)) return mutation
      if (together === undefined || !isPlain(mutation))
        return await changeOne(requests, attribute, mutation, call)
      return (await together).get(mutation.key) as WriteResult
    } catch (error) {
      return error as StoreError
    }
  })
}

function isPlain(mutation: Encoded): mutation is Plain {
  if (isStoreError(mutation) || mutation.ifVersion !== undefined) return false
  return mutation.type === 'delete' || (mutation.type === 'set' && mutation.expiresAt !== 'keep')
}

/** Write plain mutations, as many in a request as it takes. Never rejects. */
async function writeTogether(
  requests: Requests,
  attribute: ValueAttribute,
  plain: readonly Plain[],
  call: CallOptions,
): Promise<ReadonlyMap<string, WriteResult>> {
  const parts = partsOf(plain, mostWrites)
  const written = await inParallel(parts, requests.width, (part) =>
    writePart(requests, attribute, part, call),
  )
  return new Map(written.flatMap((one) => [...one]))
}

async function writePart(
  requests: Requests,
  attribute: ValueAttribute,
  part: readonly Plain[],
  call: CallOptions,
): Promise<ReadonlyMap<string, WriteResult>> {
  const results = new Map<string, WriteResult>(part.map(({ key, version }) => [key, { version }]))
  let left = part
  try {
    for (let round = 0; left.length > 0; round++) {
      if (round > 0 && !(await backoff(round, call))) throw noRoom()
      const keys = await writeOnce(requests, attribute, left, call)
      left = left.filter(({ key }) => keys.has(key))
    }
  } catch (error) {
    for (const { key } of left) results.set(key, error as StoreError)
  }
  return results
}

/** The keys that DynamoDB had no room for: nothing was changed there. */
async function writeOnce(
  requests: Requests,
  attribute: ValueAttribute,
  part: readonly Plain[],
  call: CallOptions,
): Promise<ReadonlySet<string>> {
  const { driver, table } = requests
  const command = new driver.BatchWriteItemCommand({
    RequestItems: { [table]: part.map((one) => requestOf(one, attribute)) },
  })
  const { UnprocessedItems } = await requests.send<BatchWriteItemCommandOutput>(call, true, command)
  const unprocessed = Object.values(given(UnprocessedItems, true)).flat()
  return new Set(
    unprocessed.map(
      ({ PutRequest, DeleteRequest }) =>
        canonicalKeyOf(PutRequest?.Item ?? DeleteRequest?.Key ?? {}) as string,
    ),
  )
}

function requestOf(mutation: Plain, attribute: ValueAttribute): WriteRequest {
  if (mutation.type === 'delete') return { DeleteRequest: { Key: keyOf(mutation.key) } }
  return { PutRequest: { Item: itemOf(mutation, attribute) } }
}

function noRoom(): StoreError {
  return new StoreError(
    'OVERLOADED',
    'DynamoDB had no capacity for this item before the deadline; nothing was changed.',
  )
}
