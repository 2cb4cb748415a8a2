"""What runs beside the API: the `rummy500` command, the process tree, jobs and computer players."""
