// The questions of a tenant. They know nothing of stores.
import type { Log, Logs } from './log.ts'

/** An address with suspicious activity. */
export interface Suspect {
  readonly address: string
  readonly failures: number
  /** Whether one of its logins succeeded after the failures. */
  readonly gotIn: boolean
}

const failed = /login failed/i
const succeeded = /login succeeded/i

/** Addresses whose logins failed so often within a time. */
export async function suspects(
  logs: Pick<Logs, 'between' | 'of'>,
  tenant: string,
  from: string,
  to: string,
  atLeast = 5,
): Promise<readonly Suspect[]> {
  const found = new Map<string, { failures: number; gotIn: boolean }>()
  for (const { address, message } of await logs.between(tenant, from, to)) {
    if (address === '') continue
    const one = found.get(address) ?? { failures: 0, gotIn: false }
    if (failed.test(message)) one.failures++
    if (succeeded.test(message) && one.failures >= atLeast) one.gotIn = true
    found.set(address, one)
  }
  return [...found]
    .filter(([, { failures }]) => failures >= atLeast)
    .map(([address, one]) => ({ address, ...one }))
    .toSorted((a, b) => b.failures - a.failures || (a.address < b.address ? -1 : 1))
}

/** Everything that an address did within a time, host by host: for forensics. */
export async function traceOf(
  logs: Pick<Logs, 'between' | 'of'>,
  tenant: string,
  address: string,
  from: string,
  to: string,
): Promise<Readonly<Record<string, readonly Log[]>>> {
  const hosts: Record<string, Log[]> = {}
  for (const log of await logs.of(tenant, address, from, to)) (hosts[log.host] ??= []).push(log)
  return hosts
}

/** How many logs of each level each application wrote within a time. */
export async function levels(
  logs: Pick<Logs, 'between' | 'of'>,
  tenant: string,
  from: string,
  to: string,
): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const { application, level } of await logs.between(tenant, from, to)) {
    const own = (counts[application] ??= {})
    own[level] = (own[level] ?? 0) + 1
  }
  return counts
}
