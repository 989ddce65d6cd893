import { testLeastRights } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  testLeastRights(postgresBench(url), {
    nameOf: (table) => `role_${table}`,
    make: (user) => `CREATE ROLE ${user} LOGIN PASSWORD 'pw'`,
    grant: (user, table, rights) => `GRANT ${rights} ON ${table} TO ${user}`,
    drop: (user) => `DROP OWNED BY ${user}; DROP ROLE ${user}`,
  })
})
