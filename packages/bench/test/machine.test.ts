import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { machineFindings } from '../src/driven/report/findings.ts'
import { type MachineSample, sharesOf, statTimes, withMachine } from '../src/run/machine.ts'

const run = promisify(execFile)

test('the processor time of other processes is told apart from that of this one', async () => {
  const burn = (ms: number): string => `while (process.cpuUsage().user < ${ms * 1_000});`
  const { machine } = await withMachine(async () => {
    await run(process.execPath, ['-e', burn(300)])
    return {}
  })
  expect(machine.othersMs).toBeGreaterThanOrEqual(250)
  expect(sharesOf(machine).others).toBeGreaterThan(0)
  expect(machine.ownMs).toBeLessThan(machine.elapsedMs)
})

test('the counters of Linux: waiting for disks is not work, and the rest of the line is in it already', () => {
  const text = 'cpu  100 10 50 9000 700 5 5 30 60 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n'
  expect(statTimes(text)).toEqual({ busyMs: 1_700, stolenMs: 300 })
})

const quiet: MachineSample = {
  elapsedMs: 1_000,
  cores: 2,
  loadAverage: 0.5,
  ownMs: 900,
  othersMs: 190,
  stolenMs: 190,
}

test('work of others, stolen time and pauses are told of from a tenth on', () => {
  expect(machineFindings([{ run: 1, lostMs: 99, machine: quiet }, { run: 2 }])).toEqual([])
  const busy = { ...quiet, othersMs: 620, stolenMs: 200, loadAverage: 4.25 }
  expect(
    machineFindings([
      { run: 1, lostMs: 0, machine: quiet },
      { run: 2, lostMs: 150, machine: busy },
    ]),
  ).toEqual([
    'Other processes took up to 31 % of the machine during a run (load average 4.3, 2 cores); a server of a store on this machine is one of them.',
    'The host gave up to 10 % of the processor time of a run to other machines, so figures of another time may differ.',
    'The process that measured did not run for up to 15 % of the time of a run, so times of operations are too long.',
  ])
})
