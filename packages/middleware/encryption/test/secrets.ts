import { createHash } from 'node:crypto'
import { afterAll, expect, vi } from 'vitest'
import { root1, root2, root3 } from './records.ts'
import { type Secret, seen } from './shown.ts'

/** Bytes that look random and are the same on every run. */
export const planted = (name: string): Buffer => createHash('sha256').update(name).digest()

export const plaintext = 'the plaintext that nobody may see'
export const passphrase = 'hunter2 hunter2 hunter2 hunter22'

/** 46 secrets; each is given to the code in some test, and looked for wherever that code shows anything. */
// In memory of their own: small buffers share some, which `inspect` shows whole.
const roots = [Buffer.from(root1, 'hex'), Buffer.from(root2, 'base64'), root3].map((root) =>
  Buffer.from(Uint8Array.from(root).buffer),
)
export const moreRoots = Array.from({ length: 12 }, (_, i) => planted(`root ${i}`))
export const passphrases = [
  passphrase,
  ...Array.from({ length: 6 }, (_, i) => `${planted(`p ${i}`).toString('base64')} passphrase`),
]
export const dataKeys = Array.from({ length: 6 }, (_, i) => planted(`data key ${i}`))
export const values = [
  plaintext,
  ...Array.from({ length: 7 }, (_, i) => `${planted(`v ${i}`).toString('hex')} value`),
]
export const contexts = Array.from({ length: 4 }, (_, i) => `${planted(`c ${i}`).toString('hex')} tenant`)
export const credentials = Array.from(
  { length: 6 },
  (_, i) => `${planted(`w ${i}`).toString('hex')}-credential`,
)
export const secrets: readonly Secret[] = [
  ...roots,
  ...moreRoots,
  ...passphrases,
  ...dataKeys,
  ...values,
  ...contexts,
  ...credentials,
]

/** None of them, in any form, anywhere in it. */
export function expectNoSecret(thing: unknown): void {
  expect(seen(thing, secrets)).toEqual([])
}

/** Nothing that is written while the tests of a file run holds one of them. */
export function expectSilentOutput(): void {
  const spies = [
    ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write')),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level)),
    vi.spyOn(process, 'emitWarning'),
  ]
  afterAll(() => {
    expectNoSecret(spies.map(({ mock }) => mock.calls))
    vi.restoreAllMocks()
  })
}

/** What `work` throws. */
export function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
