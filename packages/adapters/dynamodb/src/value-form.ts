import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Bytes, type Json, type Mutation, StoreError } from '@unikv/core'
import { documentText } from '@unikv/core/adapter'

/** The attribute that holds a value. */
export type ValueAttribute = 'value' | 'document'

/** How values stand in items. */
export interface ValueForm<V> {
  /** The attribute that holds them; items of the other form are told by its absence. */
  readonly attribute: ValueAttribute
  /**
   * A copy.
   *
   * @throws {StoreError} `INVALID_VALUE`
   */
  toAttribute(value: V): AttributeValue
  /** `undefined` for what this form never writes. */
  fromAttribute(attribute: AttributeValue): V | undefined
}

/** Bytes as they are; the decimal text of a safe integer as a number, which the server can add to. */
export const bytesForm: ValueForm<Bytes> = {
  attribute: 'value',
  toAttribute(value) {
    const number = integerText(value)
    return number === undefined ? { B: Buffer.from(value) } : { N: number }
  },
  fromAttribute({ B, N }) {
    if (N !== undefined) return Buffer.from(N)
    return B === undefined ? undefined : Buffer.from(B.buffer, B.byteOffset, B.length)
  },
}

/** JSON data as maps, lists, texts and numbers, which queries of your own can look into. */
export const documentForm: ValueForm<Json> = {
  attribute: 'document',
  toAttribute: (value) => attributeOf(JSON.parse(documentText(value)) as Json),
  fromAttribute: jsonOf,
}

/** A mutation with its value in the words of DynamoDB, or why there are none for it. */
export type Encoded = Mutation<AttributeValue> | StoreError

/** Encoded at once: the caller may change its value while the request waits. */
export function encode<V>(mutation: Mutation<V>, form: ValueForm<V>): Encoded {
  if (mutation.type !== 'set') return mutation
  try {
    return { ...mutation, value: form.toAttribute(mutation.value) }
  } catch (error) {
    return error as StoreError
  }
}

/** Longest text of a safe integer, with its sign. */
const mostDigits = 17

function integerText(value: Bytes): string | undefined {
  if (value.length === 0 || value.length > mostDigits) return undefined
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
  return /^(0|-?[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined
}

function attributeOf(value: Json): AttributeValue {
  if (value === null) return { NULL: true }
  if (typeof value === 'boolean') return { BOOL: value }
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: numberText(value) }
  if (Array.isArray(value)) return { L: value.map(attributeOf) }
  return { M: Object.fromEntries(Object.entries(value as Readonly<Record<string, Json>>).map(propertyOf)) }
}

function propertyOf([name, value]: readonly [string, Json]): readonly [string, AttributeValue] {
  // The SDK would make a prototype of it, and DynamoDB takes no nameless attribute.
  if (name === '__proto__' || name === '')
    throw new StoreError('INVALID_VALUE', 'DynamoDB cannot hold a property named "" or "__proto__".')
  return [name, attributeOf(value)]
}

/** DynamoDB holds 38 digits, more than any number has, but not every exponent. */
function numberText(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-130 && size < 1e126)) return String(value)
  throw new StoreError('INVALID_VALUE', 'DynamoDB can hold only numbers between 1e-130 and 1e126.')
}

function jsonOf({ NULL, BOOL, S, N, L, M }: AttributeValue): Json | undefined {
  if (NULL === true) return null
  if (BOOL !== undefined) return BOOL
  if (S !== undefined) return S
  if (N !== undefined) return Number(N)
  if (L !== undefined) {
    const items = L.map(jsonOf)
    return items.includes(undefined) ? undefined : (items as Json[])
  }
  if (M === undefined) return undefined
  const properties = Object.entries(M).map(([name, attribute]) => [name, jsonOf(attribute)] as const)
  return properties.some(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(properties) as Json)
}
