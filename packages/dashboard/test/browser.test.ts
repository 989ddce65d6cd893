import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'

// The page in a real browser, while an application works.

const token = 'a-token-of-the-tests'
const manager = await openStores({
  stores: {
    users: { url: 'memory:', layers: ['cache', 'json'] },
    notes: { url: 'memory:', layers: ['text'] },
  },
  monitor: true,
})
const { users, notes } = manager.stores
const made = dashboard(manager, { tokens: [{ name: 'owner', token, may: 'admin' }], writable: true })
const server = await listen(made)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const quiet = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** The part of the report of axe that is judged. */
interface Found {
  readonly violations: readonly { readonly id: string; readonly impact: string }[]
}

let browser: Browser
let page: Page
const problems: string[] = []

beforeAll(async () => {
  for (let i = 0; i < 250; i++) await users.set(`user/${String(i).padStart(3, '0')}`, { n: i })
  await notes.set('hello', 'first line\nsecond line')
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', ...quiet] })
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, bypassCSP: false })
  page = await context.newPage()
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', ({ message }) => problems.push(message))
  await page.goto(`${server.url}/#token=${token}`)
})
afterAll(async () => {
  await browser?.close()
  made.close()
  await server.close()
  await manager.close()
})

test('the token goes out of the address, and numbers on the page are those of the monitor', async () => {
  await page.getByRole('heading', { name: 'Stores' }).waitFor()
  expect(page.url()).not.toContain(token)
  for (let i = 0; i < 7; i++) await users.get('user/001')
  const cell = page.locator('[data-figure="users read calls"]')
  const calls = () => manager.monitor?.snapshot().stores['users']?.read?.calls
  await expect.poll(async () => Number((await cell.textContent())?.replaceAll(',', ''))).toBe(calls())
})

test('all keys are reached, page by page and by prefix, and a value opens', async () => {
  await page.getByRole('link', { name: 'Data' }).click()
  const keys = page.locator('.list a')
  const more = page.getByRole('button', { name: 'More keys' })
  await page.getByRole('button', { name: 'List' }).click()
  await expect.poll(() => keys.count()).toBe(100)
  await more.click()
  await expect.poll(() => keys.count()).toBe(200)
  await more.click()
  await expect.poll(() => keys.count()).toBe(250)
  await page.getByLabel('Prefix').fill('user/24')
  await page.getByRole('button', { name: 'List' }).click()
  await expect.poll(() => keys.count()).toBe(10)
  await keys.first().click()
  await expect.poll(() => page.locator('.entry pre').textContent()).toBe('{\n  "n": 240\n}')
})

test('a change is made by the keyboard alone, shows its difference, and is undone', async () => {
  await page.goto(`${server.url}/#data/notes/hello`)
  await page.getByRole('button', { name: 'Edit' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('New value').fill('first line\nanother line')
  await expect.poll(() => page.locator('.difference').textContent()).toBe('− second line+ another line')
  await page.getByRole('button', { name: 'Store' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await notes.get('hello')).toBe('first line\nanother line')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => notes.get('hello')).toBe('first line\nsecond line')
})

test.each(['stores', 'data/users/user%2F001', 'calls', 'facts'])(
  '%s has no serious fault for axe, nor is wider than a phone',
  async (place) => {
    await page.goto(`${server.url}/#${place}`)
    await page.locator('main h1').waitFor()
    await page.locator('main .soft, main table, main .entry').first().waitFor()
    const found = await page.evaluate<Found>(`${axe}; axe.run()`)
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id }) => id)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      .toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1200, height: 800 })
  },
)

test('nothing was refused by the policy of the page, and no error was told', () => {
  expect(problems).toEqual([])
})
