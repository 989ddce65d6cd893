import { type Feature, type KeyValue, type Schema, type Supporting, supports } from '@unikv/core'
import { checkFactoryOptions, kindOf, type OptionNames } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { instead, wrong } from '../wrong.ts'
import type { Checked } from './check-configuration.ts'

/** The use that a program makes of one store. */
export interface StoreUse {
  /** The values, by any Standard Schema: it is given to the layer json, structured or document of the store. @default none */
  readonly schema?: Schema | undefined
  /** Features that the program needs, with the layers of the store. @default none */
  readonly needs?: readonly Feature[] | undefined
}

/** The stores that a program uses, by name. */
export type StoreUses = { readonly [name: string]: StoreUse }

/** The KeyValue of each store that a program uses. */
export type StoresUsed<U extends StoreUses> = {
  readonly [name in keyof U & string]: KeyValue<string, ValueUsed<U[name]>, Supporting<FeatureUsed<U[name]>>>
}

type ValueUsed<U> = U extends { readonly schema: Schema<infer V> } ? V : unknown

type FeatureUsed<U> = U extends { readonly needs: readonly (infer F extends Feature)[] } ? F : never

const names: OptionNames<StoreUse> = { schema: true, needs: true }

/**
 * Check what a program says about its stores, as far as the configuration alone can tell.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkUses(uses: unknown, { stores }: Pick<Checked, 'stores'>): StoreUses {
  if (uses === undefined) return {}
  if (!isPlainObject(uses))
    throw wrong('uses', `it must be an object with the names of stores, got ${kindOf(uses)}`)
  for (const [name, use] of Object.entries(uses)) {
    checkFactoryOptions(`uses.${name}`, use, names)
    const { needs } = use as StoreUse
    if (needs !== undefined && !Array.isArray(needs))
      throw wrong(`uses.${name}.needs`, `it must be a list of features, got ${kindOf(needs)}`)
    if (!Object.hasOwn(stores, name))
      throw wrong(
        'stores',
        `the program uses a store '${name}', which is not there. ${instead(name, Object.keys(stores))}`,
      )
  }
  return uses as StoreUses
}

/**
 * Check that a store with its layers has the features that a program needs.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the place
 */
export function checkNeeds(name: string, kv: KeyValue<string, unknown>, use: StoreUse = {}): void {
  const { needs = [] } = use
  const missing = needs.filter((feature) => !supports(kv, feature))
  if (missing.length === 0) return
  throw wrong(
    `stores.${name}`,
    `the program needs ${missing.join(' and ')}, which this store with these layers does not have`,
  )
}
