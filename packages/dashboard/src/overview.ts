import type { AnyStore } from '@unikv/core'
import { type AnyStack, adapterOf, layersOf } from '@unikv/core/adapter'
import { type Access, seesStore } from '@unikv/http/parts'
import type { StoreFacts } from '@unikv/stores'
import { canSkip } from './data/skip.ts'
import { isSealed, watching } from './entry.ts'
import type { ShownManager } from './options.ts'

/** Facts that the page shows before anything is asked of a store. */
export interface Overview {
  readonly caller: string
  /** Whether this caller may change records. */
  readonly mayChange: boolean
  /** Whether keys and values are shown. */
  readonly hasData: boolean
  readonly hasMonitor: boolean
  readonly hasReports: boolean
  /** Whether figures of earlier times are kept. */
  readonly hasPast: boolean
  readonly hasTuner: boolean
  readonly stores: readonly StoreView[]
}

/** A store and its layers. */
export interface StoreView {
  readonly name: string
  /** Name of the adapter, such as `redis`. */
  readonly adapter: string
  /** The same for people, once facts were asked for; before that it is the name. */
  readonly title: string
  /** From the first that a call meets to the last. */
  readonly layers: readonly string[]
  /** Values are stored encrypted: each look at one is recorded. */
  readonly isSealed: boolean
  readonly canList: boolean
  /** Whether a part of its keys is listed without a walk through all of them. */
  readonly hasIndex: boolean
  readonly durability: string
  readonly isolation: string
}

/** The stores of a manager that a caller may see. Nothing is sent to them. */
export function overviewOf(
  manager: ShownManager,
  access: Access,
  options: Pick<Overview, 'mayChange' | 'hasData' | 'hasReports' | 'hasTuner' | 'hasPast'>,
): Overview {
  const all = Object.entries(manager.stores as Readonly<Record<string, AnyStack>>)
  const seen = all.filter(([name]) => seesStore(access, name))
  return {
    caller: access.name,
    ...options,
    hasMonitor: manager.monitor !== undefined,
    stores: seen.map(([name, kv]) => storeView(name, kv)),
  }
}

function storeView(name: string, kv: AnyStack): StoreView {
  const { capabilities } = kv
  const { dataset, name: named }: AnyStore = adapterOf(kv)
  // The manager names stores anew; their datasets begin with the kind of store.
  const adapter = dataset?.split('/', 1)[0] ?? named
  const { scan, durability, isolation } = capabilities
  return {
    name,
    adapter,
    title: known.find((one) => one.name === adapter)?.title ?? adapter,
    layers: layersOf(kv)
      .map(({ layer }) => layer.name)
      .filter((layer) => !watching.has(layer)),
    isSealed: isSealed(capabilities, kv),
    canList: scan !== false,
    hasIndex: canSkip(capabilities),
    durability,
    isolation,
  }
}

/** Facts about all stores. They load every adapter, so not before the page asks. */
export async function storeFacts(): Promise<readonly StoreFacts[]> {
  known = (await import('@unikv/stores')).stores
  return known
}

/** The facts that are loaded: an overview does not make an application load every adapter. */
let known: readonly StoreFacts[] = []
