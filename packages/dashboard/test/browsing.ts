import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The part of the report of axe that is judged. */
interface Found {
  readonly violations: readonly { readonly id: string; readonly impact: string }[]
}

/** Chromium, which asks for nothing elsewhere. */
export function openBrowser(): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', ...quiet] })
}

/** A page, and what its console told of as errors. */
export async function openPage(
  browser: Browser,
): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, bypassCSP: false })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', ({ message }) => problems.push(message))
  return { page, problems }
}

/** The serious faults of a page for people with assistive technology. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate<Found>(`${axe}; axe.run()`)
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id }) => id)
}
