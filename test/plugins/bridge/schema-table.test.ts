import { beyondTheSchemas, table } from './schema-table.js';
import { holdsAgainstTheSchemas } from './schemas.js';

holdsAgainstTheSchemas(table, beyondTheSchemas);
