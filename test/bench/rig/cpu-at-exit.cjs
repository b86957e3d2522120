// For --require: tells the CPU time that the process has used, in microseconds, on the file descriptor 3.
const { writeSync } = require('node:fs');
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String(user + system));
});
