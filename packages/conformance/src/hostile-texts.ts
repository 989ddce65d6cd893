/** Paths that leave a folder, name a root, or end where a file system does not let them. */
// biome-ignore format: many on a line, to be looked over
export const pathKeys: readonly string[] = [
  '.', '..', '...', '/', '//', './', '../', './a', '../a', '../../a', '../../../../etc/passwd',
  '/etc/passwd', '~', '~/a', '~root',
  'a/..', 'a/../b', 'a/./b', 'a//b', 'a/b', 'a/b/', '/a', 'a/', 'b', '/a/b', 'a/b/c', 'a\\b', 'a\\..\\b',
  '..\\..\\a', '\\', '\\\\',
  'C:', 'C:\\', 'C:\\x', 'C:/x', 'c:x', '\\\\host\\share', '//host/share', '\\\\?\\C:\\x',
  '\\\\.\\pipe\\x', 'file:///etc/passwd',
  '%2e%2e%2f', '%2E%2E%2F', '%252e%252e%252f', '..%2f', '..%5c', '%2e%2e/', '..%c0%af', '%c0%ae%c0%ae/',
  '..;/', '....//', '..%00/',
  '.hidden', '.git', '.git/config', '-rf', '--', '-', '--help', 'a b', 'a  b', '$HOME', '${HOME}',
  '%HOME%', '`id`', '$(id)', ';id', '|id',
  'lost+found', 'proc/self', 'dev/null', '/dev/null', 'index.html', 'a?b', 'a#b', 'a&b', 'a=b', 'a+b',
  'a;b', 'a,b', 'a@b', 'a!b', 'a~1',
]

/** Names that Windows gives to devices, streams and nothing. */
// biome-ignore format: many on a line, to be looked over
export const windowsKeys: readonly string[] = [
  'CON', 'con', 'Con', 'PRN', 'AUX', 'aux', 'NUL', 'nul', 'nul.txt', 'NUL.tar.gz', 'COM1', 'COM9.log',
  'LPT1', 'lpt\u00b9', 'CONIN$', 'CLOCK$',
  'con.', 'con ', 'name.', 'name..', 'name ', 'name. ', 'a:b', 'a:b:$DATA', 'a::$DATA',
  'file.txt:stream', 'PROGRA~1', 'a<b', 'a>b', 'a"b', 'a|b',
  'Thumbs.db', 'desktop.ini', 'a*', 'a?', '$MFT', '$Extend', 'name', 'NAME', 'nAmE', 'Name.',
  'name\u3002', 'name\uff0e',
]

/** Text that a query language would read instead of keep. */
// biome-ignore format: many on a line, to be looked over
export const queryKeys: readonly string[] = [
  "'", '"', '`', "''", '""', '``', "'key'", '"key"', '`key`', "it's", "\\'", '\\"', "\\\\'", "a'b",
  'a`b', 'a""b', "a''b", '\u2019', '\u02bc',
  "' OR '1'='1", "'; DROP TABLE unikv; --", '"; DROP TABLE unikv; --', '1; DELETE FROM unikv',
  "' UNION SELECT 1 --", "') OR ('1'='1",
  '--', '-- comment', '/*', '*/', '/* x */', '#', '# comment', ';', ';;', '(', ')', '()', '((', 'NULL',
  'null', 'DEFAULT', 'now()', 'sleep(5)',
  '?', '??', '$1', '$$', '$$x$$', ':name', '::text', '@var', '@@version', ':1', '%s', '%d', '%n', '{0}',
  '{}', '{{x}}', '{{7*7}}', '<%= 1 %>',
  "x' USING TTL 1", 'x ALLOW FILTERING', "token('x')", 'x" IF EXISTS', '{$gt:""}', '{"$gt":""}',
  '{"$ne":null}', '[$ne]', '$where', 'a.$.b', 'a.b.c',
  'GET key', 'key GET other', 'key\r\nSET other 1\r\n', 'key\r\n$3\r\nabc\r\n',
  '*1\r\n$8\r\nFLUSHALL\r\n', 'key 0 0 1\r\nx', 'FLUSHALL', 'EVAL', 'redis.call("x")',
  '0x27', "X'41'", "N'x'", "_utf8'x'", 'a\\', 'a\\\\', '\\0', '\\x00', '\\n', '\\u0000', '<script>',
  '<!--', '&amp;', '<![CDATA[x]]>', '&lt;',
]

/** Wildcards, ranges and escapes of LIKE, glob and regular expressions. */
// biome-ignore format: many on a line, to be looked over
export const patternKeys: readonly string[] = [
  '%', '%%', '_', '__', 'a%', '%a', 'a_', '_a', 'a%b', 'a_b', 'axb', 'axxb', 'a\\%b', 'a\\_b', '\\%',
  '\\_', '!%', '!_', '=%',
  '*', '**', '**/*', '?a', 'a*b', 'a?b?', '[ab]', '[a-z]', '[^a]', '[!a]', '[]', '[[]', ']', '[', 'a[b',
  'a]b', '{a,b}', '{a..c}', 'a{b',
  'a\\*b', 'a\\?b', '\\[ab\\]', '.*', '.+', '^a$', '^', '$', 'a$', '(a)', '(a|b)', 'a|b|c', '(?i)a',
  '\\d+', '\\bkey\\b', 'a{1,2}', '+', 'a++',
  'users*', 'users?', 'users[2]', 'users%', 'users_', '{users}', '{users}:1', '{users}:2', '{}users',
  '{us}ers', 'us{er}s', '}{', '{a', 'a}', '{{a}}',
]

/** Names of values, of what every object has, and of numbers in other spellings. */
// biome-ignore format: many on a line, to be looked over
export const namesOfThings: readonly string[] = [
  'undefined', 'NaN', 'Infinity', '-Infinity', 'true', 'false', 'True', 'TRUE', 'yes', 'no', 'on', 'off',
  'nil', 'None', 'void', 'Null',
  '__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf',
  '__defineGetter__', '__lookupSetter__',
  'then', 'toJSON', 'length', 'size', 'get', 'set', 'has', 'delete', 'keys', 'name', 'default',
  'arguments', 'this', 'constructor.prototype',
  '0', '-0', '+0', '00', '1', '01', '1.0', '1.', '1e0', '+1', ' 1', '1 ', '0x1', '0b1', '1n', '1_000',
  '1,000', '\u0661', '\uff11', '-1', '--1',
  '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807',
  '18446744073709551616', '1e308', '1e309', '0.1', '.1', '1E5',
  '[object Object]', 'function () {}', 'Symbol(key)', '[]', '[1,2]', '{"a":1}', '"text"', 'a\\u0062',
  '2020-01-01', '2020-01-01T00:00:00.000Z',
  '550e8400-e29b-41d4-a716-446655440000', '550E8400-E29B-41D4-A716-446655440000',
  '507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011',
]

/** Keys that servers and their drivers keep for themselves, and names of tables, users and files. */
// biome-ignore format: many on a line, to be looked over
export const serverKeys: readonly string[] = [
  '_design/x', '_design%2Fx', '_local/x', '_id', '_rev', '_all_docs', '_bulk_docs', '_security',
  '_changes', '_', '_users', '_replicator',
  'system.indexes', 'admin.$cmd', '$cmd', '$id', 'fs.chunks', 'a.b', 'a..b', '.a', 'a.', '$a', 'a$',
  'local.oplog.rs',
  'soap/', '.well-known/x', 'a?versionId=1', '?acl', '?uploads', '?prefix=a', 'a?x=1', 'a?x=2', 'a#x',
  'a#y', 'a%20b', 'a+b+c', 'a%2Fb', '%2F',
  'a;v=1', 'a:1', 'a::1', '::', ':', '||', 'a||b', 'a|b', '$', 'a$meta', 'meta$', 'lock:a', 'a:lock',
  'ttl:a', 'a:ttl', 'a:version', 'a:expires',
  '__keyspace@0__:a', '__sentinel__:hello', 'tmp', '.tmp', '.tmp-1', 'a.tmp', 'a.lock', 'data.mdb',
  'lock.mdb', 'LOCK', 'CURRENT', 'MANIFEST',
  'select', 'SELECT', 'table', 'order', 'group', 'user', 'root', 'mysql', 'information_schema',
  'pg_catalog', 'sys', 'x'.repeat(65), 'X'.repeat(64),
  'MixedCase', 'mixedcase', 'MIXEDCASE', 'with space', 'with-dash', 'with.dot', 'with`tick',
  'with"quote', '1starts', '\u00fcmlaut', 'UMLAUT',
]

/** The same text in the encodings that adapters use for keys: none may meet the text itself. */
// biome-ignore format: many on a line, to be looked over
export const encodedKeys: readonly string[] = [
  'A', '%41', '%2541', '%4', '%', '%%', '%zz', '%0', '%00', '=41', '&#65;', '&#x41;', '\\x41', '\\u0041',
  '\\101', '+AEE-', 'QQ==', 'QQ',
  'QQ=', 'qq==', '41', '0x41', '4100', 'IE======', 'IE', 'ie', '!41', '~41', '_41', '$41', '^A', '@A',
  'A%', 'A%00', 'A=', 'A==', 'a%41', 'aA',
  'key%20', 'key+', 'key%', 'k%65y', 'ke%79', '%6b%65%79', '%6B%65%79', 'a2V5', 'a2V5Cg==', '6b6579',
  '6B6579', 'NNSXS===', 'nnsxs', 'xn--ke-yma',
  '\u00c3\u00a9', '\u00e2\u0082\u00ac', '%C3%A9', '%c3%a9', '%E9', '\u00ef\u00bb\u00bfkey', '\ufeffkey',
  '=?utf-8?q?key?=', '"\\u006bey"',
  'd41d8cd98f00b204e9800998ecf8427e', 'D41D8CD98F00B204E9800998ECF8427E',
  'e3b0c44298fc1c149afbf4c8996fb924', 'f'.repeat(64), 'F'.repeat(64),
]
