import type { ScanRange } from '@unikv/core'
import { namespacePrefix, nestedPrefix } from '@unikv/core/adapter'
import { type Access, badRequest, demandKey, type Served } from '@unikv/http/parts'

/** A level of the tree of keys: what lies right below a namespace and a beginning of keys. */
export interface LevelPlace {
  /** Names of the namespaces, the outermost first. */
  readonly namespace: readonly string[]
  /** The keys begin so; `''`: all keys of the namespace, and the namespaces inside it. */
  readonly prefix: string
  /** Only keys from this one on. */
  readonly gte: string | undefined
  /** Only keys before this one. */
  readonly lt: string | undefined
  /** Parts keys into groups; `''`: there are none; `undefined`: the first keys decide. */
  readonly separator: string | undefined
}

/** The level that a request asks for; without a place the outermost one that its caller may see. */
export function levelPlace(query: URLSearchParams, access: Access): LevelPlace {
  const namespace = query.getAll('namespace')
  const prefix = query.get('prefix') ?? ''
  const isHome = namespace.length === 0 && prefix === ''
  const separator = query.get('separator') ?? undefined
  if (separator !== undefined && separator.length > 8)
    throw badRequest('separator must have at most 8 characters.')
  return {
    namespace: isHome ? (access.namespace ?? []) : namespace,
    prefix: isHome ? (access.prefix ?? '') : prefix,
    gte: query.get('gte') ?? undefined,
    lt: query.get('lt') ?? undefined,
    separator,
  }
}

/** Where the canonical keys of a level lie. */
export type LevelRange = Pick<ScanRange, 'prefix' | 'gte' | 'lt'>

/** The canonical keys of a level, as far as its caller may see them. @throws {Refused} if it may see none */
export function levelRange(
  { namespace, prefix, gte, lt }: LevelPlace,
  served: Served,
  access: Access,
): LevelRange {
  const key = (text: string): string => served.canonical(text, namespace)
  const bounds = { gte: gte === undefined ? undefined : key(gte), lt: lt === undefined ? undefined : key(lt) }
  const own = namespacePrefix(namespace)
  if (prefix !== '') {
    demandKey(access, key(prefix))
    return { prefix: key(prefix), ...bounds }
  }
  demandKey(access, own === '' ? '\u0002' : own)
  const isBound = gte !== undefined || lt !== undefined
  if (!isBound && mayNest(access, namespace)) return withInner(namespace)
  return own === '' ? { prefix: '', gte: bounds.gte ?? '\u0002', lt: bounds.lt } : { prefix: own, ...bounds }
}

function mayNest(access: Access, namespace: readonly string[]): boolean {
  try {
    demandKey(access, nestedPrefix(namespace))
    return true
  } catch {
    return false
  }
}

/** Keys of a namespace, and before them those of the namespaces inside it. */
function withInner(namespace: readonly string[]): LevelRange {
  const nested = nestedPrefix(namespace)
  if (namespace.length === 0) return { prefix: '', gte: nested, lt: undefined }
  const prefix = nested.slice(0, -1)
  return { prefix, gte: nested, lt: `${prefix}\u0003` }
}
