import { areDistinct } from '../../batches/distinct.ts'
import type { Codec } from '../../codecs/codec.ts'
import { isStoreError, StoreError } from '../../contract/errors.ts'
import type { StoreQuery } from '../../contract/query.ts'
import type { Found, Mutation, Page, ScanRange } from '../../contract/store.ts'
import { isVersion, newVersion } from '../../contract/version.ts'
import { keyBytes } from '../../keys/canonical-key.ts'
import type { AnyStack } from '../../stack/any-store.ts'
import { madeOf } from '../../stack/layers-of.ts'
import { checkKeyValue } from '../../stack/stack-arguments.ts'
import type { NewChange, RecordCalls } from '../../stack/streams.ts'
import { checkedCondition, checkedExpiry, checkedNewExpiry, demand } from '../arguments.ts'
import type { Direct } from '../direct.ts'
import { rawPages } from '../raw-pages.ts'
import type { CallSettings } from '../settings.ts'

/**
 * The records of a KeyValue by canonical key: for servers that hand a stack on to other processes. Calls keep their order, their
 * deadline and their checks, and results are those of the items.
 */
export interface Records extends RecordCalls {
  /** The outermost codec: it makes bytes (or a document) of the values of this stack; `undefined`: they are as the store has them. */
  readonly codec: Codec<unknown, unknown> | undefined
  /**
   * A change as the store takes it, after all checks and with its value as it is now: for one that is written later.
   *
   * @throws {StoreError} as `write`
   */
  mutation(change: NewChange): Promise<Mutation<unknown>>
  /** One page of a listing. */
  page(range: ScanRange, settings?: CallSettings): Promise<Page<unknown>>
  /** Records by their fields, or totals. @throws {StoreError} `UNSUPPORTED` where the store does not declare `find` */
  find(query: StoreQuery, settings?: CallSettings): Promise<Found<unknown>>
  /** All pages of a listing: `timeoutMs` is that of each page. Leave the loop to end it. */
  pages(range: ScanRange, settings?: CallSettings): AsyncIterable<Page<unknown>>
}

/** @throws {StoreError} `INVALID_CONFIG` if this is not a KeyValue */
export function recordsOf(kv: AnyStack): Records {
  checkKeyValue('recordsOf', kv)
  const { '~direct': direct } = kv as unknown as { readonly '~direct': Direct<string, unknown> }
  const { engine } = direct
  const pages = (range: ScanRange, settings: CallSettings = {}): AsyncIterable<Page<unknown>> => {
    direct.demand('scan', 'a listing')
    return rawPages(direct, 'scan', range, settings, {
      earlier: engine.written([range.prefix]),
      isStep: false,
    })
  }
  return {
    store: engine.store,
    codec: madeOf(engine.store)?.parts.codec?.own,
    read(reads, settings) {
      for (const { key } of reads) checkCanonical(direct, key)
      checkDistinct(reads)
      return engine.read('read', reads, engine.readCall(settings), (results) => results)
    },
    write(changes, settings) {
      const mutations = changes.map((change) => mutationOf(direct, change))
      checkDistinct(mutations)
      return engine.write('write', mutations, engine.call(settings), (results) => results)
    },
    async mutation(change) {
      const [own] = await engine.custody.later([mutationOf(direct, change)])
      if (isStoreError(own)) throw own
      return own as Mutation<unknown>
    },
    async page(range, settings) {
      for await (const page of pages(range, settings)) return page
      return { entries: [] }
    },
    async find(query, settings = {}) {
      // Refused once it closes.
      engine.call(settings)
      if (engine.store.capabilities.find !== true)
        throw new StoreError('UNSUPPORTED', 'This store does not find records by their fields.')
      try {
        // As late as KeyValue does: servers without queries do not load it.
        const { ask } = await import('../find.ts')
        return await ask(direct, 'find', query, settings)
      } catch (error) {
        throw engine.located(error, 'find')
      }
    },
    pages,
  }
}

function checkCanonical({ engine }: Direct<string, unknown>, key: unknown): asserts key is string {
  if (typeof key !== 'string' || key === '' || !key.isWellFormed())
    throw new StoreError('INVALID_KEY', 'A key must be a non-empty, well-formed string.')
  const { name, capabilities } = engine.store
  if (key.length * 3 <= capabilities.maxKeyBytes || keyBytes(key) <= capabilities.maxKeyBytes) return
  const message = `The key has ${keyBytes(key)} bytes; ${name} allows ${capabilities.maxKeyBytes}.`
  throw new StoreError('KEY_TOO_LONG', message)
}

function mutationOf(direct: Direct<string, unknown>, change: NewChange): Mutation<unknown> {
  const { type, key, value } = change
  const { store, options } = direct.engine
  checkCanonical(direct, key)
  const version = change.version ?? newVersion()
  if (!isVersion(version))
    throw new StoreError('INVALID_ARGUMENT', 'A version must have 24 hexadecimal digits.')
  const ifVersion = checkedCondition(store, type, change.ifVersion)
  const base = { key, version, ifVersion }
  if (type === 'delete') return { type, ...base }
  const expiresAt = checkedExpiry(store, type, change, options.clock)
  if (type === 'set') {
    if (direct.hasPassed(expiresAt)) return { type: 'delete', ...base }
    return { type, ...base, value, expiresAt, facts: undefined }
  }
  demand(store, type, type)
  if (type === 'touch') return { type, ...base, expiresAt: checkedNewExpiry(type, expiresAt) }
  const { by = 1, initial = 0 } = change
  if (!Number.isSafeInteger(by) || !Number.isSafeInteger(initial))
    throw new StoreError('INVALID_ARGUMENT', '`by` and `initial` of an increment must be safe integers.')
  const own = { by: (by as number) + 0, initial: (initial as number) + 0 }
  return { type: 'increment', ...base, ...own, expiresAt: checkedNewExpiry(type, expiresAt) }
}

function checkDistinct(items: readonly { readonly key: string }[]): void {
  if (items.length === 1 || areDistinct(items.map(({ key }) => key))) return
  throw new StoreError('INVALID_ARGUMENT', 'A batch has the same key twice. Pass each key once.')
}
