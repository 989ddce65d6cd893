import { groupTransactions } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, test } from 'vitest'
import { RecordGroups } from '../src/groups/record-groups.ts'

describe('groups of records in memory', () => {
  groupTransactions({
    test,
    describe,
    open: () => {
      const kv = keyValue(memory())
      return { groups: new RecordGroups(kv), close: () => kv.close() }
    },
  })
})
