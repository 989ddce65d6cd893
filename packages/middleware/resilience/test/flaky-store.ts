import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'

/** What happens to one request. */
export type Fate =
  | 'answered'
  /** The store says that it did nothing. */
  | 'refused'
  /** It takes effect, and its answer is lost. */
  | 'reply lost'
  /** It is lost, and so is its answer. */
  | 'request lost'
  /** It never answers. */
  | 'silent'
  /** It is not sent, for want of a connection. */
  | 'not sent'
  /** It waits for a connection that does not come. */
  | 'connecting'
  | { readonly afterMs: number }

/** A memory store behind a wire on which every request meets the fate that is due; when none is left, it is answered. */
export function flakyStore(fates: Fate[] = []): Flaky {
  const store = memory()
  const asked: { verb: 'read' | 'write'; keys: readonly string[]; call: CallOptions }[] = []
  const meet = async <R>(
    verb: 'read' | 'write',
    items: readonly (Read | Mutation<Bytes>)[],
    call: CallOptions,
    run: () => R,
  ): Promise<R> => {
    asked.push({ verb, keys: items.map(({ key }) => key), call })
    const fate = fates.shift() ?? 'answered'
    if (typeof fate === 'object') await new Promise((resolve) => void setTimeout(resolve, fate.afterMs))
    else await new Promise((resolve) => void setImmediate(resolve))
    if (fate === 'silent' || fate === 'connecting') return new Promise<never>(() => {})
    if (fate === 'refused' || fate === 'not sent') throw new StoreError('UNAVAILABLE', fate)
    const answer = fate === 'request lost' ? undefined : run()
    if (answer !== undefined && fate !== 'reply lost') return answer
    throw new StoreError(verb === 'read' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN', 'lost')
  }
  return {
    ...store,
    name: 'flaky',
    // A value that is too large for plain memory has 256 MiB, which are copied before they are refused.
    capabilities: { ...store.capabilities, sync: 'none', maxValueBytes: 500_000 },
    fates,
    asked,
    read: (reads, call) =>
      meet('read', reads, call, () => store.read(reads, call) as readonly ReadResult<Bytes>[]),
    write: (mutations, call) => {
      call.sent = fates[0] !== 'not sent' && fates[0] !== 'connecting'
      return meet('write', mutations, call, () => store.write(mutations, call) as readonly WriteResult[])
    },
    async *scan(range, call) {
      for (const page of store.scan(range, call) as Iterable<never>)
        yield await meet('read', [], call, () => page)
    },
    close: () => store.close(),
  }
}

/** Such a store, with what was asked of it. */
export interface Flaky extends Store<Bytes, Capabilities> {
  /** Of the next requests. */
  readonly fates: Fate[]
  readonly asked: readonly { verb: 'read' | 'write'; keys: readonly string[]; call: CallOptions }[]
}
