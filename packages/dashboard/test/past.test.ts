import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { monitor } from '@unikv/monitor'
import { keptHistory, recorder } from '@unikv/monitor/recorder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import type { ResultHistory } from '../src/reports.ts'
import { type OpenPage, openPage, seriousFaults } from './in-browser.ts'

// The past on the page: of a store from where a recorder keeps it, and of the results of a study.

const token = 'a-token-of-the-tests'
const hourMs = 3_600_000
const beganAt = Math.floor(Date.now() / hourMs) * hourMs - 7 * 24 * hourMs
const kept = keyValue(memory())
const manager = await openStores({ stores: { users: { url: 'memory:' } }, monitor: true })
const history: ResultHistory = {
  results: Array.from({ length: 20 }, (_, i) => ({ name: `results/${i}`, at: beganAt + i * hourMs })),
  findings: ['From results/12 on worse.'],
  figures: [
    { title: 'redis · read · p99', unit: 'ms', values: Array(20).fill(3), changes: [], verdict: 'steady' },
    {
      title: 'redis · read · rate',
      unit: '1/s',
      values: Array.from({ length: 20 }, (_, i) => (i < 12 ? 2_000 : 1_000) + i),
      changes: [{ at: 12, before: 2_005, after: 1_016, verdict: 'slower' }],
      verdict: 'changed',
    },
  ],
}
const entry = { study: 'run', stores: ['redis'], status: 'complete' }
const reports = {
  list: async () => history.results.map(({ name, at }) => ({ name, at, ...entry })),
  page: async (names: readonly string[]) => `<!doctype html><p id="names">${names.join(' and ')}</p>`,
  history: async () => history,
}
const tokens = [{ name: 'owner', token, may: 'admin' as const }]
const made = dashboard(manager, { tokens, history: keptHistory(kept), reports })
const server = await listen(made)
let opened: OpenPage

/** A week as a recorder keeps it: an hour at a time. */
async function week(): Promise<void> {
  let now = beganAt
  const m = monitor({ clock: () => now, timeEverySync: true })
  const recorded = recorder(m, {
    keepIn: kept,
    clock: () => now,
    monotonicClock: () => now,
    statisticsMs: Infinity,
  })
  const users = keyValue({ ...memory(), name: 'users' }, [m])
  for (let hour = 0; hour < 7 * 24; hour++, now += hourMs) {
    for (let i = 0; i < 10 + (hour % 24); i++) await users.get('a')
    await users.set('a', new Uint8Array(9))
    await recorded.flush()
  }
  await recorded.close()
}

beforeAll(async () => {
  await week()
  opened = await openPage()
  await opened.page.goto(`${server.url}/#token=${token}`)
})
afterAll(async () => {
  await opened?.close()
  made.close()
  await server.close()
  await manager.close()
})

test('a week of a store is drawn from where it is kept', async () => {
  const { page, problems } = opened
  await page.getByText('Past', { exact: true }).click()
  const chart = page.getByRole('img', { name: /^Calls a second/ })
  await chart.waitFor()
  const startedAt = Date.now()
  await page.getByLabel('Last').selectOption('hour')
  await page.locator('.card figure canvas').last().waitFor()
  // The first hour leaves the week when an hour ends meanwhile.
  await expect.poll(() => chart.getAttribute('data-points')).toMatch(/^16[78]$/)
  console.log(`A week opens in ${Date.now() - startedAt} ms.`)
  expect(problems).toEqual([])
})

test('results over time show the figure that changed, and open the reports on both sides', async () => {
  const { page, problems } = opened
  await page.getByRole('link', { name: 'Benchmarks' }).click()
  await page.getByText('Over time').click()
  await page.getByRole('img', { name: /^redis · read · rate/ }).waitFor()
  const change = page.locator('.changes li')
  expect(await change.textContent()).toMatch(
    /^Worse from results\/12 on .*: 2,005 a second before, 1,016 a second since/,
  )
  expect(await seriousFaults(page)).toEqual([])
  const names = page.frameLocator('iframe').locator('#names')
  await change.getByRole('button', { name: 'Compare both' }).click()
  await expect.poll(() => names.textContent()).toBe('results/11 and results/12')
  await change.getByRole('button', { name: 'results/11' }).click()
  await expect.poll(() => names.textContent()).toBe('results/11')
  expect(problems).toEqual([])
})
