import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { monitor } from '@unikv/monitor'
import { keptHistory, recorder } from '@unikv/monitor/recorder'
import { expect, test } from 'vitest'
import { Observer } from '../src/observe/observer.ts'

test('processes of one name are told apart: their calls count, and its own once', async () => {
  const keepIn = keyValue(memory())
  const processes = ['a', 'b'].map(() => {
    const m = monitor()
    return { m, of: recorder(m, { keepIn, processName: 'api', statisticsMs: Number.POSITIVE_INFINITY }) }
  })
  const [first] = processes
  for (const { m } of processes)
    for (let i = 0; i < 10; i += 1) await m.measure('users', () => Promise.resolve(i))
  for (const { of } of processes) await of.flush()
  const observer = new Observer((first as (typeof processes)[number]).of, keptHistory(keepIn))
  const { frame, processes: count } = await observer.look(Date.now(), () => {})
  expect([frame['users']?.['native']?.awaited.count, count]).toEqual([20, 2])
  for (const { of } of processes) await of.close()
})
