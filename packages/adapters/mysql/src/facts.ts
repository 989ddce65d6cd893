import type { StoreFacts } from '@unikv/core/adapter'
import { mysql } from './mysql.ts'

const url = 'mysql://127.0.0.1/database'

/** Facts about MySQL, for engineers who choose a store. */
export const mysqlFacts: StoreFacts = {
  name: 'mysql',
  title: 'MySQL and MariaDB',
  adapter: '@unikv/mysql',
  drivers: ['mysql2', 'mariadb'],
  urls: ['mysql://user:password@host:3306/database', 'mariadb://user:password@host/database'],
  variants: [
    { options: '', capabilities: mysql({ url }).capabilities },
    { options: "durability: 'flushed'", capabilities: mysql({ url, durability: 'flushed' }).capabilities },
    { options: "durability: 'memory'", capabilities: mysql({ url, durability: 'memory' }).capabilities },
    { options: "values: 'document'", capabilities: mysql({ url, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 prepared SELECT by primary key',
    readMany: '1 SELECT … WHERE k IN (…)',
    set: '1 INSERT … ON DUPLICATE KEY UPDATE',
    setMany: '1 such statement for up to 256 rows',
    conditionalSet: '1 UPDATE or INSERT with the condition; after a refusal 1 SELECT',
    delete: '1 DELETE',
    scanPage: '1 SELECT by range of the primary key',
  },
  consistency: { strong: 'the primary answers' },
  sources: [
    'https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html',
    'https://mariadb.com/kb/en/innodb-system-variables/',
  ],
  testedOn: 'MariaDB 10.11, which stands in for MySQL 8',
  notes: ['Give the address of the primary, not of a replica.', 'Values up to max_allowed_packet.'],
}
