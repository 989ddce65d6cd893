import type { FaultProxy, Traffic } from '@unikv/test-kit'

/** A proxy whose traffic is counted. */
export type Counted = Pick<FaultProxy, 'url' | 'traffic'> & AsyncDisposable

/** The result of a call, and what it moved. */
export interface Exchange<T> {
  readonly result: T
  readonly traffic: Traffic
}

/** Make one call and count what goes through the proxy meanwhile. */
export async function exchange<T>(proxy: Counted, call: () => Promise<T>): Promise<Exchange<T>> {
  const before = proxy.traffic
  const result = await call()
  const after = proxy.traffic
  const traffic = {
    requestBytes: after.requestBytes - before.requestBytes,
    responseBytes: after.responseBytes - before.responseBytes,
    roundTrips: after.roundTrips - before.roundTrips,
  }
  return { result, traffic }
}

/** Bytes in both directions. */
export function bytesOf({ requestBytes, responseBytes }: Traffic): number {
  return requestBytes + responseBytes
}

/** How often a call is made. */
export const repetitions = 5

/**
 * Make a call again and again and take the exchange in the middle by what `measure` says of it: in between, clients look
 * after their connections (a heartbeat of MongoDB's every ten seconds, a cluster's slots every five).
 */
export async function usualExchange<T>(
  proxy: Counted,
  call: (n: number) => Promise<T>,
  measure: (traffic: Traffic) => number = bytesOf,
): Promise<Exchange<T>> {
  const all: Exchange<T>[] = []
  while (all.length < repetitions) all.push(await exchange(proxy, () => call(all.length)))
  const sorted = all.toSorted((a, b) => measure(a.traffic) - measure(b.traffic))
  return sorted[repetitions >> 1] as Exchange<T>
}
