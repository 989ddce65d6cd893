import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** A page in a browser of its own. */
export interface OpenPage {
  readonly browser: Browser
  readonly page: Page
  /** Errors of the page and of the console so far. */
  readonly problems: string[]
  readonly close: () => Promise<void>
}

/** Open an empty page in Chromium. */
export async function openPage(width = 1_200): Promise<OpenPage> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: quiet })
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  // A machine that does much else is slow, and not wrong.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', ({ message }) => problems.push(message))
  return { browser, page, problems, close: () => browser.close() }
}

interface Found {
  readonly violations: readonly { readonly id: string; readonly impact: string }[]
}

/** What axe finds on a page that is serious. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<Found>(`${axe}; axe.run()`)
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)
}
