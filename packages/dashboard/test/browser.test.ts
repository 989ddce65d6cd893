import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import { openBrowser, openPage, seriousFaults } from './browsing.ts'
import { proposing } from './proposing.ts'

// The page in a real browser, while an application works.

const token = 'a-token-of-the-tests'
const manager = await openStores({
  stores: {
    users: { url: 'memory:', layers: ['cache', 'json'] },
  },
  monitor: true,
})
const { users } = manager.stores
const made = dashboard(manager, { tokens: [{ name: 'owner', token, may: 'admin' }] })
const server = await listen(made)
const { manager: tuned, tuning, close: closeTuned } = await proposing()
const madeTuned = dashboard(tuned, { tokens: [{ name: 'owner', token, may: 'admin' }], tuner: tuning })
const tunedServer = await listen(madeTuned)

let browser: Browser
let page: Page
let problems: string[]

beforeAll(async () => {
  await users.set('user/001', { n: 1 })
  browser = await openBrowser()
  ;({ page, problems } = await openPage(browser))
  await page.goto(`${server.url}/#token=${token}`)
})
afterAll(async () => {
  await browser?.close()
  made.close()
  madeTuned.close()
  await server.close()
  await tunedServer.close()
  await manager.close()
  await closeTuned()
})

test('the token goes out of the address, and numbers on the page are those of the monitor', async () => {
  await page.getByRole('heading', { name: 'Stores' }).waitFor()
  expect(page.url()).not.toContain(token)
  for (let i = 0; i < 7; i++) await users.get('user/001')
  const cell = page.locator('[data-figure="users read calls"]')
  const calls = () => manager.monitor?.snapshot().stores['users']?.read?.calls
  await expect.poll(async () => Number((await cell.textContent())?.replaceAll(',', ''))).toBe(calls())
})

test('promises and the tuner have no place in the navigation without a monitor and a tuner', async () => {
  await page.getByRole('link', { name: 'Promises' }).waitFor()
  expect(await page.getByRole('link', { name: 'Tuner' }).count()).toBe(0)
})

test('a promise is added as text for the configuration, and a wrong one is refused in words', async () => {
  await page.goto(`${tunedServer.url}/#token=${token}`)
  await page.getByRole('link', { name: 'Promises' }).click()
  await expect.poll(() => page.locator('main tbody tr').count()).toBe(3)
  await page.getByLabel('Operation', { exact: true }).fill('sett')
  await page.getByLabel('Limit', { exact: true }).fill('12')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('alert').textContent()).toContain("Did you mean 'set'?")
  // The browser tells of each refusal.
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')])
  await page.getByLabel('Operation', { exact: true }).fill('set')
  await page.keyboard.press('Enter')
  const text = page.getByLabel('Text of the proposal')
  const added = async (): Promise<unknown> => JSON.parse((await text.textContent()) ?? '').at(-1)
  await text.waitFor()
  expect(await added()).toEqual({ store: 'users', operation: 'set', belowMs: 12 })
  await page.getByRole('button', { name: 'Change: 99 % of set of users, over 30s' }).click()
  await page.getByRole('combobox', { name: 'Promise' }).selectOption('errors at most, in %')
  await page.getByLabel('Limit', { exact: true }).fill('7')
  await page.keyboard.press('Enter')
  await expect.poll(added).toEqual({ store: 'users', operation: 'set', maxErrorShare: 0.07 })
})

test.each(['stores', 'calls', 'facts', 'promises', 'tuner'])(
  '%s has no serious fault for axe, nor is wider than a phone',
  async (place) => {
    const { url } = ['promises', 'tuner'].includes(place) ? tunedServer : server
    await page.goto(`${url}/#${place}`)
    await page.locator('main h1').waitFor()
    await page.locator('main .soft, main table, main .entry').first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      .toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1200, height: 800 })
  },
)

test('a proposal is approved by the keyboard alone, and the log has who did', async () => {
  await page.goto(`${tunedServer.url}/#tuner`)
  await page.getByRole('button', { name: 'Approve: a change, users' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('status').textContent()).toContain('Approved: a change.')
  await page.getByText('approved by owner').first().waitFor()
  const [action] = await tuning.actions()
  expect(action?.steps[1]).toMatchObject({ state: 'approved', by: 'owner' })
})

test('nothing was refused by the policy of the page, and no error was told', () => {
  expect(problems).toEqual([])
})
