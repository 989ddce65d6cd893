import type { FaultSide } from './fault.ts'

/** The traffic through a proxy since it was opened. */
export interface Traffic {
  /** Bytes that were handed on to the server. */
  readonly requestBytes: number
  /** Bytes that were handed on to clients. */
  readonly responseBytes: number
  /** How often a client spoke on a new connection, or after the server had: what went out at once counts as one. */
  readonly roundTrips: number
}

/** Counts for all connections of one proxy. */
export class TrafficCount {
  #requestBytes = 0
  #responseBytes = 0
  #roundTrips = 0

  get sum(): Traffic {
    return {
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      roundTrips: this.#roundTrips,
    }
  }

  /** Counts for one more connection: the result is told of all bytes that pass. */
  connection(): (side: FaultSide, bytes: number) => void {
    let last: FaultSide = 'response'
    return (side, bytes) => {
      if (side === 'response') this.#responseBytes += bytes
      else this.#requestBytes += bytes
      if (side === 'request' && last === 'response') this.#roundTrips += 1
      last = side
    }
  }
}
