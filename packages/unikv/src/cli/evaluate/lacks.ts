import { promiseOf } from '@unikv/bench/report'
import type { Capabilities } from '@unikv/core'
import { durabilities, type Feature, features } from '@unikv/stores/lazy'

/** Features that a candidate must have with unikv, and the durability of its writes. */
export interface Wanted {
  /** Names of features. */
  readonly needs: readonly string[]
  readonly durability: Capabilities['durability'] | undefined
}

/** The features that a store does not have, a sentence each. It has what one of its variants has. */
export function featureLacks(
  variants: readonly Capabilities[],
  { needs }: Pick<Wanted, 'needs'>,
): readonly string[] {
  const missing = needs.filter(
    (need) => !variants.some((capabilities) => (features[need] as Feature).holds(capabilities)),
  )
  return missing.map((need) => `With unikv it lacks ${need}: ${(features[need] as Feature).means}.`)
}

/** Why acknowledged writes of a store survive less than is wanted; empty: they do not. */
export function durabilityLack(
  store: Parameters<typeof promiseOf>[0],
  { durability: wanted = 'memory' }: Pick<Wanted, 'durability'>,
): readonly string[] {
  const { level, words } = promiseOf(store)
  if (isEnough(level, wanted)) return []
  const hint = words.endsWith('as declared')
    ? ` If its server does more, state that in its URL, as in ?durability=${wanted}.`
    : ''
  return [`Durability: at least ${wanted} is required, and its writes are ${words}.${hint}`]
}

/** The same of a store whose facts alone are known. */
export function durabilityFactLack(
  variants: readonly Capabilities[],
  { durability: wanted = 'memory' }: Pick<Wanted, 'durability'>,
): readonly string[] {
  if (variants.some(({ durability }) => isEnough(durability, wanted))) return []
  const most = variants.map(({ durability }) => durability).join(' or ')
  return [`Durability: at least ${wanted} is required, and with unikv it is ${most}.`]
}

function isEnough(level: string, wanted: Capabilities['durability']): boolean {
  return durabilities.findIndex((one) => one === level) >= durabilities.indexOf(wanted)
}
