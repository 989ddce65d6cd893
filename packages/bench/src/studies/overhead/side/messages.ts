import type { StoreOpener } from '../../../run/target.ts'
import type { Peer } from '../peers/peers.ts'

/** A side of a comparison: the native client, unikv on bytes, unikv with the layers of `--layers`, another library. */
export type SideName = 'native' | 'unikv' | 'layers' | Peer

/** The operations that are compared. */
export type Operation = 'insert' | 'read' | 'update' | 'delete'

/** The start of a side. */
export interface SideStart {
  readonly side: SideName
  /** How the store is opened; the URL has its password, and goes to a process of our own alone. */
  readonly opener: StoreOpener
  /** The layers of that side, from the outermost on, as in a configuration of @unikv/manager. */
  readonly layers: readonly unknown[]
  /** Where unikv keeps its records, from the outermost namespace on. */
  readonly namespace: readonly string[]
  /** Name of the native client's table, collection or prefix. */
  readonly name: string
  readonly valueSize: number
  readonly callers: number
  readonly timeoutMs: number
  readonly seed: number
}

/** The orders to a side, one after the other. */
export type Order =
  | { readonly type: 'start'; readonly start: SideStart }
  /** Records from one number up to another. */
  | { readonly type: 'load'; readonly from: number; readonly to: number }
  | { readonly type: 'run'; readonly operation: Operation; readonly durationMs: number }
  | { readonly type: 'end' }

/** How long calls of one operation took. */
export interface SideSample {
  readonly calls: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The answer to an order. */
export type Answer =
  | { readonly sample?: SideSample | undefined }
  | { readonly error: { readonly code: string | undefined; readonly message: string } }
