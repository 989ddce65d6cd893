import { type Bytes, type CallOptions, isStoreError, type Store, type StoreError } from '@unikv/core'
import { type ShelfOptions, shelf } from '../../shelf/shelf.ts'
import type { ShelfHooks } from '../../shelf/shelf-opening.ts'

/** An adapter with one fault, and the case of `opening` that must find it. */
export interface BrokenOpening {
  readonly fault: string
  /** Title of a case that must fail. */
  readonly found: string
  /** The hooks in place of the sound ones. */
  readonly breaks: (sound: ShelfHooks) => Partial<ShelfHooks>
}

/** Makes a store, as an adapter does. */
type Make = (options: ShelfOptions) => Store<Bytes>

/** An adapter that makes another store. */
export const making = (make: Make): Pick<BrokenOpening, 'breaks'> => ({ breaks: () => ({ make }) })

/** A store whose verbs are other ones. */
export function changed(store: Store<Bytes>, verbs: Partial<Store<Bytes>>): Store<Bytes> {
  const { name, capabilities, native } = store
  return {
    name,
    capabilities,
    native,
    read: (reads, call) => store.read(reads, call),
    write: (mutations, call) => store.write(mutations, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
    ...verbs,
  }
}

/** A store that makes something else of the errors of its reads and writes. */
export function failing(
  failed: (error: StoreError, options: ShelfOptions, call: CallOptions) => unknown,
): Pick<BrokenOpening, 'breaks'> {
  return making((options) => {
    const store = shelf(options)
    const run = async (work: () => unknown, call: CallOptions): Promise<never> => {
      try {
        return (await work()) as never
      } catch (error) {
        if (!isStoreError(error)) throw error
        return failed(error, options, call) as never
      }
    }
    return changed(store, {
      read: (reads, call) => run(() => store.read(reads, call), call),
      write: (mutations, call) => run(() => store.write(mutations, call), call),
    })
  })
}
