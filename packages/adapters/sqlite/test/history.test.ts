import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { sqlite } from '@unikv/sqlite'
import { testContendedHistories } from '@unikv/test-kit/vitest'
import { onTestFinished } from 'vitest'

// Each client has an instance of its own over the same file.
testContendedHistories('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-sqlite-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return Array.from({ length: 6 }, () => keyValue(sqlite({ path: join(folder, 'data.db') })))
})
