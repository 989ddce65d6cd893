import type { ScanCommandOutput } from '@aws-sdk/client-dynamodb'
import type { CallOptions, Page, ScanEntry, ScanRange, StoreError } from '@unikv/core'
import { given } from './client/answers.ts'
import type { Requests } from './client/requests.ts'
import { isNotExpired, used } from './expression.ts'
import { canonicalKeyOf, entryOf, type Item } from './item.ts'
import type { ValueForm } from './value-form.ts'

/** Pages in the order of the table. A page has as many items as DynamoDB looked at, less those that are left out. */
export async function* scanPages<V>(
  requests: Requests,
  form: ValueForm<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  let resume = range.resume
  do {
    const answer = await ask(requests, form, range, resume, call)
    const { Items = [], LastEvaluatedKey } = answer
    given(answer.Count ?? answer.Items, false)
    const entries = Items.flatMap((item) => foundOf(item, form, range.values))
    resume = LastEvaluatedKey?.['k']?.B === undefined ? undefined : positionOf(LastEvaluatedKey['k'].B)
    yield resume === undefined ? { entries } : { entries, resume }
  } while (resume !== undefined)
}

function ask<V>(
  requests: Requests,
  { attribute }: ValueForm<V>,
  { prefix, pageSize, values }: ScanRange,
  resume: string | undefined,
  call: CallOptions,
): Promise<ScanCommandOutput> {
  const { driver, table, clock } = requests
  const inPrefix = prefix === '' ? '' : ' AND begins_with(#k, :prefix)'
  const filter = `attribute_exists(#version) AND ${isNotExpired}${inPrefix}`
  const projection = values ? `#k, #version, #expires, #${attribute}` : '#k'
  const compared = {
    ':now': { N: String(Math.floor(clock())) },
    ':prefix': { B: Buffer.from(prefix, 'utf8') },
  }
  const command = new driver.ScanCommand({
    TableName: table,
    ConsistentRead: call.consistency !== 'eventual',
    Limit: pageSize,
    FilterExpression: filter,
    ProjectionExpression: projection,
    ...used(compared, filter, projection),
    ...(resume === undefined ? {} : { ExclusiveStartKey: { k: { B: Buffer.from(resume, 'base64url') } } }),
  })
  return requests.send(call, false, command)
}

function foundOf<V>(item: Item, form: ValueForm<V>, values: boolean): readonly ScanEntry<V>[] {
  const key = canonicalKeyOf(item)
  if (key === undefined) return []
  if (!values) return [{ key }]
  try {
    return [{ key, entry: entryOf(item, form) }]
  } catch (error) {
    return [{ key, entry: error as StoreError }]
  }
}

function positionOf(key: Uint8Array): string {
  return Buffer.from(key).toString('base64url')
}
