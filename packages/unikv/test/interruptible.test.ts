import { expect, test } from 'vitest'
import { interruptible } from '../src/cli/session/servers.ts'
import type { Terminal } from '../src/cli/terminal.ts'

function pressable(): { readonly terminal: Terminal; readonly press: () => void } {
  const asked: (() => void)[] = []
  const onInterrupt = (interrupted: () => void): void => void asked.push(interrupted)
  const terminal: Terminal = {
    arguments: [],
    out: () => {},
    error: () => {},
    columns: undefined,
    onInterrupt,
  }
  return { terminal, press: () => asked.forEach((interrupted) => interrupted()) }
}

test('the jobs of a long suite hear of Ctrl-C once each, without a warning of a leak', async () => {
  const warnings: string[] = []
  const warn = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', warn)
  const { terminal, press } = pressable()
  const { terminal: heard, signal } = interruptible(terminal)
  const jobs: number[] = []
  for (let job = 0; job < 20; job++) heard.onInterrupt(() => jobs.push(job))
  press()
  expect(signal.aborted).toBe(true)
  expect(jobs).toEqual(Array.from({ length: 20 }, (_, job) => job))
  // Warnings come after the present work.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warn)
  expect(warnings).toEqual([])
})

test('a job that begins after Ctrl-C ends at once', () => {
  const { terminal, press } = pressable()
  const { terminal: heard } = interruptible(terminal)
  press()
  let ended = 0
  heard.onInterrupt(() => ended++)
  expect(ended).toBe(1)
})
