import type { Bytes, KeyValue } from '@unikv/core'
import type { OperationContext } from './context.ts'
import { ofKeys } from './context-of.ts'

/** The surroundings of one operation. */
export interface Taken {
  readonly context: OperationContext
  /** The operation has ended; `undefined`: no notice is needed. */
  readonly end: (() => void) | undefined
}

/** Where operations take their surroundings from. */
export interface Contexts {
  take(): Taken
}

/** Those who reach a store, each by a KeyValue. */
interface Clients {
  take(): KeyValue<string, Bytes>
  give(keys: KeyValue<string, Bytes>): void
}

/** All operations have the same surroundings. */
export function sameContext(context: OperationContext): Contexts {
  const taken = { context, end: undefined }
  return { take: () => taken }
}

/** Each operation reaches the store as one of its clients. */
export class ClientContexts implements Contexts {
  readonly #clients: Clients
  readonly #context: OperationContext
  readonly #made = new Map<KeyValue<string, Bytes>, Taken>()

  constructor(clients: Clients, context: OperationContext) {
    this.#clients = clients
    this.#context = context
  }

  take(): Taken {
    const keys = this.#clients.take()
    const found = this.#made.get(keys) ?? this.#make(keys)
    return found
  }

  #make(keys: KeyValue<string, Bytes>): Taken {
    const end = (): void => this.#clients.give(keys)
    const made = { context: { ...this.#context, ...ofKeys(keys) }, end }
    this.#made.set(keys, made)
    return made
  }
}
