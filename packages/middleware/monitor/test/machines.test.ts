import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitor } from '../src/index.ts'
import { recorder } from '../src/recorder/index.ts'
import { checkMachines, Machines } from '../src/recorder/machines.ts'
import { Saturation } from '../src/recorder/saturation.ts'

/** Seconds of two processors, used memory of 1,000 bytes, and bytes of the network. */
interface Told {
  readonly busy: number
  readonly idle: number
  readonly used: number
  readonly received: number
  readonly sent: number
}

/** A page in the form of node_exporter 1.5, shortened. */
function pageOf({ busy, idle, used, received, sent }: Told): string {
  return `# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.
# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} ${idle}
node_cpu_seconds_total{cpu="0",mode="iowait"} 1.5
node_cpu_seconds_total{cpu="0",mode="system"} ${busy / 4}
node_cpu_seconds_total{cpu="0",mode="user"} ${busy / 4}
node_cpu_seconds_total{cpu="1",mode="idle"} ${idle}
node_cpu_seconds_total{cpu="1",mode="user"} ${busy / 2}
node_cpu_guest_seconds_total{cpu="0",mode="user"} 9e9
node_memory_MemAvailable_bytes ${1_000 - used}
node_memory_MemTotal_bytes 1000
node_network_receive_bytes_total{device="eth0"} ${received}
node_network_receive_bytes_total{device="lo"} 9e9
node_network_transmit_bytes_total{device="eth0"} ${sent}
node_network_transmit_bytes_total{device="lo"} 9e9
`
}

let told: Told | undefined
const server = createServer((_, answer) => {
  if (told === undefined) answer.writeHead(503)
  answer.end(told && pageOf(told))
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Ask at this time. */
const asked = (machines: Machines, now: number): Promise<void> =>
  new Promise((heard) => machines.look(now, () => heard()))

test('processor, memory and network of a machine are told for each window, by its node_exporter', async () => {
  const machines = new Machines(checkMachines({ db1: address, gone: 'http://127.0.0.1:1/metrics' }))
  const seen = new Saturation()
  told = { busy: 10, idle: 100, used: 500, received: 1_000, sent: 0 }
  await asked(machines, 0)
  expect(machines.last(5_000, 0)).toEqual({})
  // Half a minute in which one of two processors was busy, then five seconds in which both were.
  for (let second = 5; second <= 30; second += 5) {
    told = { ...told, busy: told.busy + 5, idle: told.idle + 2.5, received: told.received + 500 }
    await asked(machines, second * 1_000)
  }
  expect(machines.last(30_000, 30_000)).toEqual({
    db1: { cpuShare: 0.5, memoryShare: 0.5, receivedBytesPerSecond: 100, sentBytesPerSecond: 0 },
  })
  expect(seen.changes(machines.used(30_000))).toEqual([])
  told = { ...told, busy: told.busy + 10, used: 950, sent: 5_000 }
  await asked(machines, 35_000)
  expect(machines.last(5_000, 35_000)).toEqual({
    db1: { cpuShare: 1, memoryShare: 0.95, receivedBytesPerSecond: 0, sentBytesPerSecond: 1_000 },
  })
  expect(machines.last(300_000, 35_000)['db1']?.cpuShare).toBeCloseTo(40 / 70)
  expect(seen.changes(machines.used(35_000))).toEqual([
    { type: 'saturated', resource: 'memory', machine: 'db1', share: 0.95 },
  ])
  // Counters start anew with the machine, and one that does not answer any more is left out.
  told = { ...told, busy: 1, idle: 1 }
  await asked(machines, 40_000)
  expect(machines.last(5_000, 40_000)).toEqual({})
  told = undefined
  for (const now of [45_000, 50_000, 55_000]) await asked(machines, now)
  expect(machines.last(300_000, 55_000)).toEqual({})
  await machines.close()
})

test('a recorder asks them, and tells of them beside the process', async () => {
  let now = 0
  const monotonicClock = (): number => (now += 2_500)
  const recorded = recorder(monitor(), { machines: { db1: address }, monotonicClock })
  const shares = (): readonly (number | undefined)[] => {
    told = { busy: now, idle: now / 2, used: 100, received: 0, sent: 0 }
    return Object.values(recorded.features().windows).map(({ machines }) => machines['db1']?.cpuShare)
  }
  await expect.poll(shares, { timeout: 10_000, interval: 250 }).toContain(0.5)
  await recorded.close()
})

test.each([
  [{ db1: '10.0.0.5:9100' }, 'needs the address of node_exporter for db1'],
  [{ db1: 'http://me:secret@/x' }, 'needs the address of node_exporter for db1'],
  [[], 'must be an object of addresses by name, got an Array'],
])('%j is refused', (machines, words) => {
  const wrong = (): unknown => recorder(monitor(), { machines: machines as never })
  expect(wrong).toThrow(words)
  expect(wrong).not.toThrow('secret')
})
