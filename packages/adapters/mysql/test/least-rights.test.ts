import { testLeastRights } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  testLeastRights(mysqlBench(url), {
    nameOf: (table) => `r${table.slice(0, 20)}`,
    make: (user) => `CREATE USER '${user}'@'%' IDENTIFIED BY 'pw'`,
    grant: (user, table, rights) => `GRANT ${rights} ON ${table} TO '${user}'@'%'`,
    drop: (user) => `DROP USER '${user}'@'%'`,
  })
})
