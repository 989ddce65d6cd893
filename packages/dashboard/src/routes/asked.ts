import type { AnyStack } from '@unikv/core/adapter'
import type { Asked } from '@unikv/http/parts'
import type { Context } from 'hono'

/** A request about one store that its caller may see. */
export interface AskedStore extends Asked {
  readonly kv: AnyStack
  readonly store: string
}

/** Finds the store that a request is about, and the rights of its caller. */
export type AskedOf = (context: Context) => Promise<AskedStore>
