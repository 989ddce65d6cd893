import type { AttributeValue, UpdateItemCommandOutput } from '@aws-sdk/client-dynamodb'
import {
  type CallOptions,
  type ConditionFailed,
  type DeleteMutation,
  type IncrementMutation,
  isStoreError,
  type Mutation,
  type SetMutation,
  StoreError,
  type TouchMutation,
  type Version,
  type WriteResult,
  type Written,
} from '@unikv/core'
import { incremented, versionBytes } from '@unikv/core/adapter'
import { given } from './client/answers.ts'
import type { Outcome, Requests } from './client/requests.ts'
import {
  comparedWith,
  conditionOf,
  isAbsent,
  isNotExpired,
  isPresent,
  used,
  type Values,
} from './expression.ts'
import { entryOf, expiryOf, headOf, type Item, isExpired, itemOf, keyOf } from './item.ts'
import { bytesForm, type ValueAttribute } from './value-form.ts'

/** A change of some attributes. */
interface Update {
  readonly UpdateExpression: string
  readonly ConditionExpression: string
  readonly values: Values
  readonly ifVersion: Mutation<unknown>['ifVersion']
}

/** How often a write that others get ahead of is tried anew. */
const mostTries = 16
/** The server returns the item if a condition does not hold. */
const onFailure = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** One mutation in one request, which the server decides; two where a record may be absent or not. */
export function changeOne(
  requests: Requests,
  attribute: ValueAttribute,
  mutation: Mutation<AttributeValue>,
  call: CallOptions,
): Promise<WriteResult> {
  if (mutation.type === 'delete') return remove(requests, mutation, call)
  if (mutation.type === 'touch') return touch(requests, mutation, call)
  if (mutation.type === 'increment') return increment(requests, mutation, call)
  if (mutation.expiresAt === 'keep' && mutation.ifVersion !== null)
    return setAndKeep(requests, attribute, mutation, call)
  return set(requests, attribute, mutation, call)
}

async function set(
  requests: Requests,
  attribute: ValueAttribute,
  mutation: SetMutation<AttributeValue>,
  call: CallOptions,
): Promise<WriteResult> {
  const { ifVersion, version } = mutation
  const outcome = await put(requests, itemOf(mutation, attribute), conditionOf(ifVersion), ifVersion, call)
  return outcome.output === undefined ? failed(requests, outcome.found) : { version }
}

/** An expiry that has passed is not kept: then the record is made anew. */
async function setAndKeep(
  requests: Requests,
  attribute: ValueAttribute,
  mutation: SetMutation<AttributeValue>,
  call: CallOptions,
): Promise<WriteResult> {
  const { key, value, version, ifVersion } = mutation
  const change = {
    UpdateExpression: `SET #version = :version, #${attribute} = :value`,
    ConditionExpression: conditionOf(ifVersion) ?? isNotExpired,
  }
  const values: Values = { ':version': { B: versionBytes(version) }, ':value': value }
  for (let tries = 0; tries < mostTries; tries++) {
    const updated = await update(requests, key, { ...change, values, ifVersion }, call)
    if (updated.output !== undefined) return given(updated.output.Attributes, true) && { version }
    if (ifVersion !== undefined) return failed(requests, updated.found)
    const made = await put(requests, itemOf(mutation, attribute), isAbsent, undefined, call)
    if (made.output !== undefined) return { version }
  }
  throw contended()
}

async function remove(
  requests: Requests,
  { key, ifVersion, version }: DeleteMutation,
  call: CallOptions,
): Promise<WriteResult> {
  const { driver, table, clock } = requests
  const condition = conditionOf(ifVersion)
  const command = new driver.DeleteItemCommand({
    TableName: table,
    Key: keyOf(key),
    ...onlyIf(condition, ifVersion, clock),
  })
  const outcome = await requests.change(call, command)
  return outcome.output === undefined ? failed(requests, outcome.found) : { version }
}

async function touch(
  requests: Requests,
  { key, expiresAt, ifVersion }: TouchMutation,
  call: CallOptions,
): Promise<WriteResult> {
  const expiry = expiryOf(expiresAt)
  // An attribute that is set to itself comes back: so the version is known, and the value does not travel.
  const itself = 'SET #version = #version'
  const change = {
    UpdateExpression:
      expiresAt === undefined
        ? `${itself} REMOVE #expires, #ttl`
        : `${itself}, #expires = :expires, #ttl = :ttl`,
    ConditionExpression: typeof ifVersion === 'string' ? (conditionOf(ifVersion) as string) : isPresent,
  }
  const values = { ':expires': expiry['expires_at'], ':ttl': expiry['ttl'] } as Values
  const outcome = await update(requests, key, { ...change, values, ifVersion }, call)
  if (outcome.output === undefined) return failed(requests, outcome.found)
  return { version: headOf(given(outcome.output.Attributes, true)).version }
}

/** Numbers stand as numbers: the server adds, unless the sum would not be a safe integer. */
async function increment(
  requests: Requests,
  mutation: IncrementMutation,
  call: CallOptions,
): Promise<WriteResult> {
  const { key, by, version, expiresAt } = mutation
  const change = {
    UpdateExpression: 'SET #value = #value + :by, #version = :version',
    ConditionExpression: `attribute_type(#value, :number) AND #value BETWEEN :low AND :high AND ${isNotExpired}`,
  }
  const values: Values = {
    ':by': { N: String(by) },
    ':version': { B: versionBytes(version) },
    ':number': { S: 'N' },
    ':low': { N: String(Number.MIN_SAFE_INTEGER - Math.min(by, 0)) },
    ':high': { N: String(Number.MAX_SAFE_INTEGER - Math.max(by, 0)) },
  }
  for (let tries = 0; tries < mostTries; tries++) {
    const outcome = await update(requests, key, { ...change, values, ifVersion: undefined }, call, 'ALL_NEW')
    if (outcome.output !== undefined) return counted(version, given(outcome.output.Attributes, true))
    const present = presentOf(requests, outcome.found)
    const value = incremented(present === undefined ? undefined : entryOf(present, bytesForm).value, mutation)
    if (isStoreError(value)) return value
    if (present !== undefined) continue
    const item = itemOf({ type: 'set', key, version, value: { N: String(value) }, expiresAt }, 'value')
    if ((await put(requests, item, isAbsent, undefined, call)).output !== undefined)
      return counted(version, item)
  }
  throw contended()
}

function counted(version: Version, item: Item): Written {
  const text = item['value']?.N
  return { version, value: Number(given(text, true)), expiresAt: headOf(item).expiresAt }
}

function onlyIf(
  condition: string | undefined,
  ifVersion: Mutation<unknown>['ifVersion'],
  clock: () => number,
): { readonly ConditionExpression?: string } {
  if (condition === undefined) return {}
  return {
    ConditionExpression: condition,
    ...onFailure,
    ...used(comparedWith(ifVersion, clock()), condition),
  }
}

function put(
  requests: Requests,
  item: Item,
  condition: string | undefined,
  ifVersion: Mutation<unknown>['ifVersion'],
  call: CallOptions,
): Promise<Outcome<unknown>> {
  const { driver, table, clock } = requests
  const command = new driver.PutItemCommand({
    TableName: table,
    Item: item,
    ...onlyIf(condition, ifVersion, clock),
  })
  return requests.change(call, command)
}

function update(
  requests: Requests,
  key: string,
  { values, ifVersion, ...change }: Update,
  call: CallOptions,
  ReturnValues: 'UPDATED_NEW' | 'ALL_NEW' = 'UPDATED_NEW',
): Promise<Outcome<UpdateItemCommandOutput>> {
  const { driver, table, clock } = requests
  const all = { ...values, ...comparedWith(ifVersion, clock()) }
  const command = new driver.UpdateItemCommand({
    TableName: table,
    Key: keyOf(key),
    ...change,
    ...used(all, change.UpdateExpression, change.ConditionExpression),
    ReturnValues,
    ...onFailure,
  })
  return requests.change(call, command)
}

/** The item found, unless it has expired. */
function presentOf({ clock }: Requests, found: Item | undefined): Item | undefined {
  return found === undefined || isExpired(headOf(found), clock()) ? undefined : found
}

function failed(requests: Requests, found: Item | undefined): ConditionFailed {
  try {
    const present = presentOf(requests, found)
    return { conditionFailed: true, version: present === undefined ? undefined : headOf(present).version }
  } catch {
    return { conditionFailed: true }
  }
}

function contended(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'Other writers kept changing the item; nothing was changed. Try again later.',
  )
}
