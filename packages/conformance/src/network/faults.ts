import type { NetworkFault, NetworkProxy } from './network-options.ts'

/** A fault under which calls are made, and how it ends. */
export interface Accident {
  readonly title: string
  readonly inject: (proxy: NetworkProxy) => void
}

function under(title: string, fault: NetworkFault): Accident {
  return { title, inject: (proxy) => void proxy.inject(fault) }
}

/** Faults that last until they are lifted. */
export const accidents: readonly Accident[] = [
  under('a black hole', { kind: 'blackHole' }),
  under('a pause', { kind: 'hold', side: 'both' }),
  under('answers of one byte a second', { kind: 'drip', side: 'response', bytesPerSecond: 1 }),
  under('requests of one byte a second', { kind: 'drip', side: 'request', bytesPerSecond: 1 }),
  under('answers that come late', { kind: 'hold', side: 'response' }),
  under('requests that arrive late', { kind: 'hold', side: 'request' }),
  under('a server that resets every connection', { kind: 'reset' }),
]
