import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dictionaryGain, trainDictionary } from '@unikv/compression'
import { printTable, writeResults } from './measure/report.ts'

// What does a dictionary of 16 KiB bring for small values that resemble each other, on samples held out: ours, and
// that of `zstd --train` (the distribution's package, if it is there)? Ratios of bytes to records.

const maxBytes = 16_384
const algorithms = ['deflate', 'zstd'] as const

/** mulberry32 */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
}

const random = randomOf(1)
const pick = (...items: readonly string[]): string => items[random(items.length)] as string
const hex = (length: number): string => Array.from({ length }, () => random(16).toString(16)).join('')
const time = (): string => new Date(1.6e12 + random(1e9) * 160).toISOString()
const words = readFileSync(new URL('../../docs/guides/own-adapter.md', import.meta.url), 'utf8').split(/\s+/)
const sentence = (): string =>
  Array.from({ length: 8 + random(14) }, () => pick(...words))
    .join(' ')
    .replaceAll(/[<>&]/g, '')

function customer(): string {
  const first = pick(
    'Ada',
    'Grace',
    'Alan',
    'Edsger',
    'Barbara',
    'Donald',
    'Leslie',
    'Frances',
    'Margaret',
    'Radia',
  )
  const last = pick(
    'Lovelace',
    'Hopper',
    'Turing',
    'Dijkstra',
    'Liskov',
    'Knuth',
    'Lamport',
    'Allen',
    'Hamilton',
  )
  return JSON.stringify({
    id: hex(24),
    type: 'customer',
    name: `${first} ${last}`,
    email: `${first}.${last}${random(99)}@example.com`.toLowerCase(),
    address: {
      street: `${pick('Main', 'Oak', 'Station', 'Church')} Street ${random(200)}`,
      city: pick('Berlin', 'Paris', 'Karlsruhe', 'Lisbon', 'Oslo', 'Toronto', 'Osaka', 'Nairobi'),
      postalCode: String(10_000 + random(89_999)),
    },
    plan: pick('free', 'team', 'business', 'enterprise'),
    active: random(10) > 0,
    createdAt: time(),
    balance: random(1e6) / 100,
    tags: ['vip', 'beta', 'newsletter', 'trial'].filter(() => random(3) === 0),
    preferences: {
      language: pick('en', 'de', 'fr', 'pt'),
      timezone: pick('Europe/Berlin', 'America/Toronto', 'Asia/Tokyo'),
      notifications: { email: random(2) > 0, sms: random(5) === 0, push: random(3) > 0 },
    },
  })
}

function logLine(): string {
  const level = pick('INFO', 'INFO', 'INFO', 'WARN', 'ERROR')
  const path = `/api/v2/${pick('customers', 'orders', 'invoices', 'sessions')}/${random(1e6)}`
  return `${time()} ${level} [${pick('http', 'db', 'cache')}-${random(16)}] requestId=${hex(16)} ${pick('GET', 'POST', 'PUT')} ${path} status=${pick('200', '200', '201', '304', '404', '500')} durationMs=${random(900)} userAgent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${100 + random(40)}.0.0.0 Safari/537.36" remote=10.${random(255)}.${random(255)}.${random(255)}`
}

function page(): string {
  const features = Array.from(
    { length: 3 + random(4) },
    () => `<li class="feature">${sentence().slice(0, 60)}</li>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${sentence().slice(0, 40)}</title><link rel="stylesheet" href="/static/css/main.${hex(8)}.css"><meta name="viewport" content="width=device-width, initial-scale=1"></head><body class="page page--product"><header class="site-header"><nav class="site-nav"><a href="/">Home</a><a href="/shop">Shop</a><a href="/about">About</a></nav></header><main><article class="product" data-id="${random(1e6)}"><h1>${sentence().slice(0, 50)}</h1><p class="price">${random(1e4) / 100} €</p><p>${sentence()}</p><ul class="features">${features.join('')}</ul></article></main><footer class="site-footer"><small>© 2026 Example</small></footer><script src="/static/js/app.${hex(8)}.js" defer></script></body></html>`
}

const kinds = { 'JSON records': customer, 'log lines': logLine, 'HTML pages': page, noise: () => hex(400) }
const rows = Object.entries(kinds).flatMap(([kind, make]) => {
  const samples = Array.from({ length: 2000 }, () => Buffer.from(make()))
  const held = Array.from({ length: 500 }, () => Buffer.from(make()))
  const theirs = zstdTrained(samples)
  return algorithms.map((algorithm) => {
    const start = performance.now()
    const ours = trained(samples, algorithm)
    const trainMs = performance.now() - start
    const ratio = (dictionary: Buffer | undefined): number | undefined => {
      if (dictionary === undefined) return undefined
      const gain = dictionaryGain(held, dictionary, { algorithm })
      return gain.bytes / gain.with
    }
    const { bytes, without } = dictionaryGain(held, Buffer.of(0), { algorithm })
    return {
      kind,
      algorithm,
      meanBytes: bytes / 500,
      without: bytes / without,
      ours: ratio(ours),
      theirs: ratio(theirs),
      trainMs,
    }
  })
})

const shown = (ratio: number | undefined): string => ratio?.toFixed(2) ?? 'none'
printTable(
  `Ratio on 500 held-out samples, dictionaries of ${maxBytes} B from 2,000, Node ${process.version}`,
  ['samples', 'mean bytes', 'algorithm', 'without', 'trainDictionary', 'zstd --train', 'training ms'],
  rows.map((row) => [
    row.kind,
    row.meanBytes.toFixed(0),
    row.algorithm,
    shown(row.without),
    shown(row.ours),
    shown(row.theirs),
    row.trainMs.toFixed(0),
  ]),
)
await writeResults('dictionaries', { maxBytes, rows })

/** `undefined` for samples that have nothing in common. */
function trained(samples: readonly Buffer[], algorithm: 'deflate' | 'zstd'): Buffer | undefined {
  try {
    return trainDictionary(samples, { maxBytes, algorithm })
  } catch {
    return undefined
  }
}

/** `undefined` where the command is missing, or finds nothing. */
function zstdTrained(samples: readonly Buffer[]): Buffer | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-samples-'))
  try {
    const files = samples.map((sample, i) => {
      writeFileSync(join(folder, String(i)), sample)
      return join(folder, String(i))
    })
    const out = join(folder, 'dictionary')
    const { status } = spawnSync('zstd', ['-q', '--train', ...files, `--maxdict=${maxBytes}`, '-o', out])
    return status === 0 ? readFileSync(out) : undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}
