import { checkKeyValue, ms, type OptionsOf, oneOf, random, readOptions } from '@unikv/core/adapter'
import type { EntityDb } from '../contract/entity-db.ts'
import type { AnyEntityType } from '../definition/entity-type.ts'
import { chooseGroups, type TransactionKind } from '../groups/choose-groups.ts'
import type { GroupKeyValue } from '../groups/record-store.ts'
import { Types } from '../layout/types.ts'
import { policyOf } from '../retry/policy-of.ts'
import type { RetryProfile } from '../retry/profiles.ts'
import type { RetryPolicy } from '../retry/retry-policy.ts'
import { Database } from './database.ts'

const table = {
  /**
   * Which transactions are used. `records` keep each group in one record with conditions, on every store and through all layers. `native` ones are those of
   * the store, below its layers, so none of these may change values. `auto` takes native ones where they can be had, for data that ends
   * with the process: a new layer may change the choice. The two keep their records apart, so change it only while there is no data.
   *
   * @default 'records'
   */
  transactions: oneOf<TransactionKind>('records', ['auto', 'records', 'native']),
  /** @default 'default' */
  retry: (given: RetryProfile | RetryPolicy | undefined = 'default', _: string, whose: string) =>
    policyOf(whose, given),
  /** Deadline of every call that names none, with all its attempts, in milliseconds. @default 30,000 */
  timeoutMs: ms(30_000),
  /** Uniform in [0, 1), for the jitter of waits. @default Math.random */
  random: random(),
}

/** Options of a database of entities. */
export interface EntitiesOptions extends OptionsOf<typeof table> {}

/**
 * Entities of these types in a KeyValue of bytes, with transactions over groups of them.
 *
 * ```ts
 * const db = entities(keyValue(redis({ url })).namespace('shop'), [AuctionItem, Bid])
 * await db.run(AuctionItem.group({ sellerId: 7, itemNo: 3 }), async (tx) => { … })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store without conditions, one that may drop records, or one whose reads may be old
 */
export function entities(
  kv: GroupKeyValue,
  types: readonly AnyEntityType[],
  options?: EntitiesOptions,
): EntityDb
/** Not a KeyValue of bytes. */
export function entities(
  kv: 'entities() needs a KeyValue of bytes: leave the codec out',
  types: readonly AnyEntityType[],
  options?: EntitiesOptions,
): never
export function entities(
  kv: unknown,
  types: readonly AnyEntityType[],
  options: EntitiesOptions = {},
): EntityDb {
  checkKeyValue('entities', kv)
  const { transactions, ...settings } = readOptions('entities', table, options)
  const groups = chooseGroups(kv as GroupKeyValue, transactions)
  const parts = { kv: kv as GroupKeyValue, groups, types: new Types(types), ...settings }
  return new Database(parts) as unknown as EntityDb
}
