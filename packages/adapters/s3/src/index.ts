export { prepareS3, type S3Native, type S3Store, s3 } from './s3.ts'
export type { S3Capabilities, S3Durability } from './s3-capabilities.ts'
export type { S3Credentials, S3Options } from './s3-options.ts'
