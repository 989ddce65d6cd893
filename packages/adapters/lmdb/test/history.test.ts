import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { testContendedHistories } from '@unikv/test-kit/vitest'
import { onTestFinished } from 'vitest'
import { lmdb } from '../src/index.ts'

// Each client has an instance of its own over the same environment.
testContendedHistories('lmdb', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-lmdb-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return Array.from({ length: 6 }, () => keyValue(lmdb({ path: folder })))
})
