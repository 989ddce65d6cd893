import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Version } from '@unikv/core'
import { versionBytes } from '@unikv/core/adapter'

// Words of expressions. Attributes are named by `#`, as DynamoDB reserves many words.

const names: Readonly<Record<string, string>> = {
  '#k': 'k',
  '#version': 'version',
  '#expires': 'expires_at',
  '#ttl': 'ttl',
  '#value': 'value',
  '#document': 'document',
}

/** A record that has not expired, or none. */
export const isNotExpired: string = '(attribute_not_exists(#expires) OR #expires > :now)'
/** No record, or an expired one. */
export const isAbsent: string = '(attribute_not_exists(#k) OR #expires <= :now)'
/** A record that has not expired. */
export const isPresent: string = `attribute_exists(#k) AND ${isNotExpired}`

/** The condition of a mutation; `undefined`: none. */
export function conditionOf(ifVersion: Version | null | undefined): string | undefined {
  if (ifVersion === undefined) return undefined
  return ifVersion === null ? isAbsent : `#version = :if AND ${isNotExpired}`
}

/** Values that conditions compare with. */
export function comparedWith(ifVersion: Version | null | undefined, now: number): Values {
  return {
    ':now': { N: String(Math.floor(now)) },
    ...(typeof ifVersion === 'string' ? { ':if': { B: versionBytes(ifVersion) } } : {}),
  }
}

/** Values by their `:name`. */
export type Values = Readonly<Record<string, AttributeValue>>

/** The names and values that these expressions use: DynamoDB refuses others. */
export function used(
  values: Values,
  ...expressions: readonly (string | undefined)[]
): {
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>
} {
  const words = new Set(expressions.join(' ').match(/[#:][a-z]+/g))
  const usedNames = Object.entries(names).filter(([name]) => words.has(name))
  const usedValues = Object.entries(values).filter(([name]) => words.has(name))
  return {
    ...(usedNames.length === 0 ? {} : { ExpressionAttributeNames: Object.fromEntries(usedNames) }),
    ...(usedValues.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(usedValues) }),
  }
}
