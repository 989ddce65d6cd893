import type { Capabilities } from '@unikv/core'
import type { MysqlSettings } from './options.ts'
import { type MysqlDurability, maxKeyBytes } from './table.ts'

/** Capabilities of the MySQL store. The type parameters come from its options. */
export interface MysqlCapabilities<
  Documents extends boolean = boolean,
  Durability extends MysqlDurability = MysqlDurability,
> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: true
  readonly find: Documents
  readonly durability: Durability
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong']
  readonly evicts: false
  readonly sealed: false
  readonly documents: Documents
  readonly sync: 'none'
}

/** The capabilities with these settings. Every read goes to the one server, so all of them are strong. */
export function capabilitiesOf({ documents, durability, maxValueBytes }: MysqlSettings): MysqlCapabilities {
  return Object.freeze<MysqlCapabilities>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    find: documents,
    batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents,
    sync: 'none',
  })
}
